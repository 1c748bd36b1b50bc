import type { EventEnvelope } from '#libs/contracts';
import type { MaintenanceDatabase } from '#libs/database';
import {
  type Logger,
  Loop,
  type ServiceName,
  type Span,
  crashPoint,
  isTracing,
  monotonicMs,
  newId,
  startSpan,
} from '#libs/platform';
import { topicOf } from '../envelope/bucket.js';
import type { EventMessage } from '../envelope/event-message.js';
import type { ServiceEventCounts } from '../telemetry/event-counts.js';
import { BucketLeases, type OwnedBucket } from './bucket-leases.js';
import { OutboxRepository, type OutboxRow } from './outbox.repository.js';

export interface RelayOptions {
  producer: ServiceName;
  database: MaintenanceDatabase;
  logger: Logger;
  counts: ServiceEventCounts;
  /**
   * Sends messages of one bucket, in order, and resolves once they are stored safely. A send to a broker, including
   * retries, ends within 3 s.
   */
  publish: (messages: EventMessage[]) => Promise<void>;
  /**
   * The pause between reads without a call of `wake`. By default, every poll reads, because the producer may have other
   * processes that do not notify this relay of their rows.
   */
  unaskedEveryMs?: number;
}

const POLL_MS = 100;
const RENEW_MS = 2_000;
const DELETE_MS = 30_000;
const DELETE_LIMIT = 10_000;
const BATCH_LIMIT = 200;
const BACK_OFF_MIN_MS = 100;
const BACK_OFF_MAX_MS = 1_000;

/**
 * Moves committed outbox rows to a transport, in order within each bucket, at least once. If the first event of a
 * bucket cannot be sent, the bucket is retried with growing pauses while the others continue.
 */
export class Relay {
  private readonly leases: BucketLeases;
  private readonly outbox: OutboxRepository;
  private readonly loops: { send: Loop; renew: Loop; remove: Loop };
  private readonly inFlight = new Map<number, Promise<void>>();
  private readonly backOffs = new Map<number, { pauseMs: number; until: number }>();
  private wakes = 0;
  /** The last read: its time, and the number of `wake` calls before it. */
  private lastRead = { atMs: -Infinity, wakes: 0 };

  constructor(private readonly options: RelayOptions) {
    const { database, producer, logger } = options;
    this.leases = new BucketLeases(database, newId());
    this.outbox = new OutboxRepository(database, this.leases.owner);
    const loop = (what: string, intervalMs: number, work: () => Promise<void>) =>
      new Loop({ name: `relay of ${producer}: ${what}`, intervalMs, logger, work });
    this.loops = {
      send: loop('send', POLL_MS, () => this.sendFreeBuckets()),
      renew: loop('renew leases', RENEW_MS, () => this.renew()),
      remove: loop('delete sent rows', DELETE_MS, () => this.deleteOld()),
    };
  }

  start(): void {
    for (const loop of Object.values(this.loops)) void loop.start();
  }

  /** Polls now, because a transaction has committed events. */
  wake(): void {
    this.wakes += 1;
    this.loops.send.wake();
  }

  /** Waits for running sends, then releases the buckets. */
  async stop(): Promise<void> {
    await Promise.all(Object.values(this.loops).map((loop) => loop.stop()));
    await Promise.all(this.inFlight.values());
    this.options.counts.ownedBuckets = 0;
    try {
      await this.leases.release();
    } catch (error) {
      const { logger, producer } = this.options;
      logger.warn(`relay of ${producer}: its leases run out by themselves`, error);
    }
  }

  /** Reads, in one statement, rows of all owned buckets that have no batch in flight, and sends the rows. */
  private async sendFreeBuckets(): Promise<void> {
    const nowMs = monotonicMs();
    if (!this.isReadDue(nowMs)) return;
    const { wakes } = this;
    const free = this.leases.owned().filter(({ bucket }) => {
      return !this.inFlight.has(bucket) && (this.backOffs.get(bucket)?.until ?? 0) <= nowMs;
    });
    if (free.length === 0) return;
    const rows = await this.outbox.listUnsent(free, BATCH_LIMIT);
    this.lastRead = { atMs: nowMs, wakes };
    const batches = Map.groupBy(rows, ({ bucket }) => bucket);
    for (const owned of free) {
      const batch = batches.get(owned.bucket);
      if (batch) this.inFlight.set(owned.bucket, this.send(owned, batch));
    }
  }

  private async send(owned: OwnedBucket, rows: OutboxRow[]): Promise<void> {
    const { bucket } = owned;
    const spans = this.spansOf(rows);
    let failed = true;
    try {
      crashPoint('relay.after-read');
      await this.options.publish(rows.map((row) => this.toMessage(row)));
      failed = false;
      crashPoint('relay.after-send');
      const isMarked = await this.outbox.markSent(
        owned,
        rows.map(({ id }) => id),
      );
      if (isMarked) for (const { type } of rows) this.options.counts.noteSent(type);
      else this.forget(bucket);
      this.backOffs.delete(bucket);
    } catch (error) {
      this.backOff(bucket, error);
    } finally {
      for (const span of spans) span.end({ failed });
      this.inFlight.delete(bucket);
    }
    // More rows may have been committed in the meantime.
    this.wake();
  }

  private isReadDue(nowMs: number): boolean {
    const { unaskedEveryMs = 0 } = this.options;
    const { atMs, wakes } = this.lastRead;
    return this.wakes > wakes || this.backOffs.size > 0 || nowMs >= atMs + unaskedEveryMs;
  }

  private spansOf(rows: OutboxRow[]): Span[] {
    if (!isTracing()) return [];
    const service = this.options.producer;
    return rows.flatMap(({ type, traceparent }) => {
      const parent = traceparent ?? undefined;
      return startSpan({ service, name: `publish ${type}`, kind: 'producer', parent }) ?? [];
    });
  }

  private forget(bucket: number): void {
    this.leases.forget(bucket);
    this.options.counts.ownedBuckets = this.leases.owned().length;
  }

  private backOff(bucket: number, error: unknown): void {
    const before = this.backOffs.get(bucket)?.pauseMs;
    const pauseMs = pauseAfter(before);
    this.backOffs.set(bucket, { pauseMs, until: monotonicMs() + pauseMs });
    if (before) return;
    const { logger, producer } = this.options;
    logger.warn(`relay of ${producer}: bucket ${bucket} is stuck`, error);
  }

  private async renew(): Promise<void> {
    const before = this.leases.owned().length;
    await this.leases.renew();
    this.options.counts.ownedBuckets = this.leases.owned().length;
    if (this.leases.owned().length > before) this.wake();
  }

  private async deleteOld(): Promise<void> {
    const deleted = await this.outbox.deleteOld(DELETE_LIMIT);
    if (deleted === DELETE_LIMIT) this.loops.remove.wake();
  }

  private toMessage(row: OutboxRow): EventMessage {
    const { producer } = this.options;
    const envelope: Omit<EventEnvelope, 'data'> = {
      id: row.id,
      type: row.type,
      version: row.version,
      key: row.key,
      aggregate: row.aggregate,
      sequence: row.sequence,
      occurredAt: row.occurred_at.toISOString(),
      producer,
      ...(row.traceparent !== null && { traceparent: row.traceparent }),
    };
    // The data is inserted as it was written.
    const body = `${JSON.stringify(envelope).slice(0, -1)},"data":${row.data}}`;
    return { id: row.id, topic: topicOf(producer), bucket: row.bucket, key: row.key, body };
  }
}

/**
 * Returns how long a bucket that has failed waits before it is retried, in milliseconds.
 * @param beforeMs the bucket's previous pause, if it has failed before.
 */
export function pauseAfter(beforeMs: number | undefined): number {
  return beforeMs === undefined ? BACK_OFF_MIN_MS : Math.min(beforeMs * 2, BACK_OFF_MAX_MS);
}
