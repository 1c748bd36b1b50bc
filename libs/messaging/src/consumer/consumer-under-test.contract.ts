import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { IsInt } from 'class-validator';
import { type EventClass, EventType } from '#libs/contracts';
import { type Database, type Transaction, withClient } from '#libs/database';
import { Logger, newId } from '#libs/platform';
import { bucketOf } from '../envelope/bucket.js';
import type { EventMessage } from '../envelope/event-message.js';
import type { EventHandler } from '../inbox/inbox.js';
import { ServiceEventCounts } from '../telemetry/event-counts.js';
import { Counted, MessagingHarness } from '../transports/messaging-harness.contract.js';
import { EventConsumer } from './event-consumer.js';

@EventType({ type: 'billing.counted', version: 1, kind: 'delta' })
class CountedByBilling {
  @IsInt()
  n: number;
}

export class ConsumerUnderTest {
  messaging: MessagingHarness;
  maintenance: Database;
  consumer: EventConsumer;
  handle: EventHandler;
  calls = 0;
  counts: ServiceEventCounts;
  lines: string[];

  constructor() {
    beforeAll(async () => {
      this.messaging = await MessagingHarness.open();
      this.maintenance = await this.messaging.test.maintenance('entitlement');
      await withClient(this.messaging.test.url('entitlement_owner'), (client) =>
        client.query('create table tally (key text primary key, n integer not null default 0)'),
      );
    });
    afterAll(() => this.messaging.close());
    beforeEach(() => this.begin());
    afterEach(() => this.consumer.stop());
  }

  /** A handler that counts the events of a key. */
  readonly add: EventHandler = async (event, transaction) => {
    await (transaction as Transaction).query(
      `insert into tally as t (key, n) values ($1, 1) on conflict (key) do update set n = t.n + 1`,
      [event.key],
    );
  };

  outcomes() {
    return (
      [...this.counts.handled.values()].map((ofType) => Object.fromEntries(ofType)).at(0) ?? {}
    );
  }

  async tallyOf(key: string): Promise<number | undefined> {
    const [row] = await this.messaging.consumer.query<{ n: number }>(
      'select n from tally where key = $1',
      [key],
    );
    return row?.n;
  }

  private begin(): void {
    this.calls = 0;
    this.counts = new ServiceEventCounts();
    this.lines = [];
    const handler: EventHandler = (event, transaction) => {
      this.calls++;
      return this.handle(event, transaction);
    };
    this.consumer = new EventConsumer({
      consumer: 'entitlement',
      database: this.messaging.consumer,
      handlers: new Map<EventClass, EventHandler>([
        [Counted, handler],
        [CountedByBilling, handler],
      ]),
      logger: new Logger('test', { write: (line) => void this.lines.push(line) }),
      counts: this.counts,
    });
  }
}

export function messageOf(
  topic: string,
  key: string,
  n: number,
  { id = newId(), traceparent }: { id?: string; traceparent?: string } = {},
): EventMessage {
  const producer = topic.slice(0, -'.events'.length);
  const body = JSON.stringify({
    id,
    type: `${producer}.counted`,
    version: 1,
    key,
    aggregate: `thing:${key}`,
    sequence: '1',
    occurredAt: '2026-03-02T09:00:00.000Z',
    producer,
    traceparent,
    data: { n },
  });
  return { id, topic, bucket: bucketOf(key), key, body };
}

export const sqlError = (code: string) =>
  Object.assign(new Error(`refused with ${code}`), { code, severity: 'ERROR' });

/** Returns a UUIDv7 for a given time. */
export function idOf(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
}

export function keysOfOneBucket(count: number): string[] {
  const keys: string[] = [];
  while (keys.length < count) {
    const key = newId();
    if (bucketOf(key) === 7) keys.push(key);
  }
  return keys;
}
