import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventClass } from '#libs/contracts';
import { newId } from '#libs/platform';
import { bucketOf } from '../envelope/bucket.js';
import { type ReadEvent, readMessage } from '../envelope/event-message.js';
import { SnapshotTaken, MessagingHarness } from '../transports/messaging-harness.contract.js';
import { type EventHandler, Inbox } from './inbox.js';

describe('inbox', () => {
  let messaging: MessagingHarness;
  beforeAll(async () => {
    messaging = await MessagingHarness.open();
  });
  afterAll(() => messaging.close());

  function snapshot(key: string, sequence: number): ReadEvent {
    const id = newId();
    const body = JSON.stringify({
      id,
      type: 'account.snapshot-taken',
      version: 1,
      key,
      aggregate: `thing:${key}`,
      sequence: String(sequence),
      occurredAt: '2026-03-02T09:00:00.000Z',
      producer: 'account',
      data: { n: sequence },
    });
    const message = { id, topic: 'account.events', bucket: bucketOf(key), key, body };
    return readMessage(message, () => true) as ReadEvent;
  }

  function inboxOf(consumer: string) {
    const applied: number[] = [];
    const handler: EventHandler = async ({ data }) => applied.push((data as SnapshotTaken).n);
    const handlers = new Map<EventClass, EventHandler>([[SnapshotTaken, handler]]);
    return { inbox: new Inbox(consumer, handlers), applied };
  }

  it('stale snapshots that arrive one after another never lower the applied sequence', async () => {
    const { inbox, applied } = inboxOf('entitlement');
    const key = newId();
    const outcomes: string[] = [];
    for (const sequence of [50, 30, 40, 50, 51]) {
      const handled = await messaging.consumer.transaction((transaction) =>
        inbox.apply(transaction, [snapshot(key, sequence)]),
      );
      outcomes.push(handled[0].outcome);
    }
    expect(applied).toEqual([50, 51]);
    expect(outcomes).toEqual(['applied', 'superseded', 'superseded', 'superseded', 'applied']);
    expect(
      await messaging.consumer.query('select sequence from inbox_sequence where aggregate = $1', [
        `thing:${key}`,
      ]),
    ).toEqual([{ sequence: '51' }]);
  });

  it('each consumer keeps its own newest sequence', async () => {
    const key = newId();
    const [ahead, behind] = [inboxOf('entitlement'), inboxOf('gateway')];
    for (const [{ inbox }, sequence] of [
      [ahead, 50],
      [behind, 30],
    ] as const) {
      await messaging.consumer.transaction((transaction) =>
        inbox.apply(transaction, [snapshot(key, sequence)]),
      );
    }
    expect([ahead.applied, behind.applied]).toEqual([[50], [30]]);
    await messaging.consumer.transaction((transaction) =>
      ahead.inbox.apply(transaction, [snapshot(key, 40)]),
    );
    const entered = await messaging.consumer.query(
      `select consumer, outcome, count(*)::int as events from inbox
       where event_id >= $1 group by 1, 2 order by 1, 2`,
      [key],
    );
    expect(entered).toEqual([
      { consumer: 'entitlement', outcome: 'applied', events: 1 },
      { consumer: 'entitlement', outcome: 'superseded', events: 1 },
      { consumer: 'gateway', outcome: 'applied', events: 1 },
    ]);
  });
});
