import { validateSync } from 'class-validator';
import { type EventClass, describeEvent, parseEventData, producerOf } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { type Clock, type ServiceName, crashPoint, currentContext, newId } from '#libs/platform';
import { bucketOf } from '../envelope/bucket.js';
import type { EventTransport } from '../event-transport.js';
import { AggregateLock, type LockRequest } from './aggregate-lock.js';

/** Stores a service's events, in the transaction that causes them. */
export class Outbox {
  constructor(
    private readonly producer: ServiceName,
    private readonly clock: Clock,
    private readonly transport: EventTransport,
  ) {}

  /**
   * Locks the aggregate until the transaction ends and takes the next sequence for one event. Call this before any
   * other statement that touches the aggregate and before reading the state to publish; lock several aggregates in
   * ascending order. Sequences rise, but may have gaps.
   */
  async lock(transaction: Transaction, request: LockRequest): Promise<AggregateLock> {
    const [{ sequence }] = await transaction.query<{ sequence: string }>(NEXT_SEQUENCE, [
      request.aggregate,
    ]);
    return new AggregateLock(transaction, request, sequence);
  }

  /**
   * Writes one event. It is relayed once the transaction has committed, and never after a rollback.
   * @param lock from `lock` in the same transaction; valid for one event.
   * @throws Error if the event belongs to another service, if the data does not fit its class, or if the lock is used
   * up or belongs to another transaction.
   */
  async add<T extends object>(
    transaction: Transaction,
    lock: AggregateLock,
    eventClass: EventClass<T>,
    data: T,
  ): Promise<void> {
    const { type, version } = describeEvent(eventClass);
    if (producerOf(type) !== this.producer) {
      throw new Error(`${this.producer} may not publish ${type}`);
    }
    const faults = faultsOf(eventClass, data);
    if (faults.length > 0) throw new Error(`${type} is malformed: ${faults.join('; ')}`);
    lock.spend(transaction);
    await transaction.query(INSERT_EVENT, [
      newId(),
      bucketOf(lock.request.key),
      lock.request.key,
      lock.request.aggregate,
      lock.sequence,
      type,
      version,
      this.clock.now(),
      lock.request.traceparent ?? currentContext()?.traceparent ?? null,
      JSON.stringify(data),
    ]);
    transaction.afterCommit(() => {
      crashPoint('outbox.after-commit');
      this.transport.wake(this.producer);
    });
  }
}

/**
 * Returns the faults of an event's data. Writing is stricter than reading, because a member that the class does not
 * declare might be personal data.
 */
function faultsOf<T extends object>(eventClass: EventClass<T>, data: T): string[] {
  const parsed = parseEventData(eventClass, data);
  if ('faults' in parsed) return parsed.faults;
  const undeclared = validateSync(parsed.data, { whitelist: true, forbidNonWhitelisted: true });
  return undeclared.map(({ property }) => `${property} is not declared`);
}

const NEXT_SEQUENCE = `
  insert into event_sequence as e (aggregate, sequence)
  values ($1, (extract(epoch from clock_timestamp()) * 1e6)::bigint)
  on conflict (aggregate) do update set sequence =
    greatest(e.sequence + 1, (extract(epoch from clock_timestamp()) * 1e6)::bigint)
  returning sequence`;

const INSERT_EVENT = `
  insert into outbox
    (id, bucket, key, aggregate, sequence, type, version, occurred_at, traceparent, data)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
