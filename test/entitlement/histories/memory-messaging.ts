import {
  type EventClass,
  type EventEnvelope,
  PaymentConfirmed,
  PaymentReversalUndone,
  PaymentReversed,
  SubscriptionChanged,
} from '#libs/contracts';
import type { MaintenanceDatabase, Transaction } from '#libs/database';
import { EventConsumer, Relay, ServiceEventCounts, bucketOf } from '#libs/messaging';
import { Logger, monotonicMs } from '#libs/platform';
import { Random } from '../../random.js';
import { MemoryDatabase } from '../../sim/memory-database.js';
import { type OutboxRow, messagingStatements } from '../../sim/messaging-statements.js';
import { type Ticket, World } from '../../sim/world.js';
import type { Delivery } from './deliveries.js';

/** What entitlement makes of one event. */
export type Handle = (event: EventEnvelope, transaction: Transaction) => Promise<void>;

const HANDLED = [PaymentConfirmed, PaymentReversed, PaymentReversalUndone, SubscriptionChanged];
const OF_ONE_ACCOUNT = ['outbox', 'inbox', 'inbox_sequence', 'failed_event'];
const DELIVERY_LIMIT_MS = 120_000;
const silent = new Logger('credit histories', { write: () => {} }, 'silent');

/** Everything arrives at once, by the process's own time. */
class PresentWorld extends World {
  constructor() {
    super(new Random(1), new Set(), 0);
  }

  override async reach<T>(effect: () => T | Promise<T>): Promise<T> {
    this.nowMs = monotonicMs();
    return effect();
  }

  override at(_delayMs: number, _actor: undefined, work: () => void): Ticket {
    const soon = setImmediate(work);
    return { cancel: () => clearImmediate(soon) };
  }
}

/** Billing's outbox and the real relay, consumer and inbox behind it, on rows in memory, for one account at a time. */
export class MemoryMessaging {
  private readonly database = new MemoryDatabase(
    new PresentWorld(),
    messagingStatements(undefined),
  );
  private readonly relay: Relay;
  private readonly consumer: EventConsumer;
  private position = 0;
  private handle?: Handle;
  private onSent?: () => void;

  constructor() {
    const { port } = this.database;
    const counts = new ServiceEventCounts();
    this.consumer = new EventConsumer({
      consumer: 'entitlement',
      database: port,
      handlers: new Map(
        HANDLED.map((eventClass: EventClass) => [
          eventClass,
          async (event: EventEnvelope, transaction?: Transaction) =>
            this.handle?.(event, transaction as Transaction),
        ]),
      ),
      logger: silent,
      counts,
    });
    this.relay = new Relay({
      producer: 'billing',
      database: this.observed(port as unknown as MaintenanceDatabase),
      logger: silent,
      counts,
      publish: async (messages) => this.consumer.deliver(messages),
    });
    this.relay.start();
  }

  /** Begins anew, for another account. */
  serve(handle: Handle): void {
    for (const table of OF_ONE_ACCOUNT) this.database.table(table).clear();
    this.handle = handle;
  }

  /**
   * Writes the rows as billing's transactions would, and waits until the relay has marked them as sent. What was
   * said again keeps its row, which goes out once more.
   */
  async deliver(deliveries: Delivery[], now: Date): Promise<void> {
    const rows = this.database.table('outbox');
    for (const { id, key, aggregate, sequence, type, version, data } of deliveries) {
      rows.set(id, {
        id,
        bucket: bucketOf(key),
        position: ++this.position,
        key,
        aggregate,
        type,
        version,
        sequence: String(sequence),
        occurred_at: now,
        traceparent: null,
        data: JSON.stringify(data),
      } satisfies OutboxRow);
    }
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(
        () => reject(new Error('the relay does not send')),
        DELIVERY_LIMIT_MS,
      );
      this.onSent = () => {
        clearTimeout(limit);
        resolve();
      };
      this.relay.wake();
    });
    const [failed] = this.database.table('failed_event').values();
    if (failed) throw new Error(`an event failed: ${JSON.stringify(failed)}`);
  }

  async stop(): Promise<void> {
    await this.relay.stop();
    await this.consumer.stop();
  }

  /** Sees after each statement of the relay whether it has sent everything. */
  private observed(port: MaintenanceDatabase): MaintenanceDatabase {
    const query: MaintenanceDatabase['query'] = async (...given) => {
      const rows = await port.query(...given);
      const outbox = [...this.database.table('outbox').values()] as OutboxRow[];
      if (outbox.every(({ sentAtMs }) => sentAtMs !== undefined)) this.onSent?.();
      return rows as never;
    };
    return { ...port, query };
  }
}
