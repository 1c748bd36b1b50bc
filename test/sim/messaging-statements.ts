import type { FailedEventRow, MemoryDatabase, OutboxRow, Statement } from './memory-database.js';

/**
 * Ways to break the code under test, which exist only in the simulation. Each removes the basis of one guarantee. A
 * simulation that does not detect each of them proves nothing.
 */
export const SABOTAGES = {
  'no-inbox': 'the inbox remembers nothing',
  'no-sequences': 'an older snapshot replaces a newer one',
  'failed-hold-nobody': 'deltas overtake a failed one',
  'mark-before-send': 'the relay marks rows before they are safe',
  'no-order': 'the relay sends the newest rows first',
} as const;

export type Sabotage = keyof typeof SABOTAGES;

const LEASE_MS = 6_000;
const LEASE_LEFT_MS = 3_000;

/** Returns the statements of `libs/messaging`, executed on rows in memory. */
export function messagingStatements(sabotage: Sabotage | undefined): Statement[] {
  return [
    ...outboxStatements(sabotage),
    ...BUCKET_STATEMENTS,
    ...inboxStatements(sabotage),
    ...FAILED_EVENT_STATEMENTS,
    // No row becomes old enough to be deleted, and a superseded event counts as handled.
    ...['with gone as ( delete from outbox', 'with gone as ( delete from failed_event'].map(
      (begins) => ({ begins, run: () => [{ deleted: 0 }] }),
    ),
    { begins: "update inbox set outcome = 'superseded'", run: () => [] },
  ];
}

type Held = [owner: string, buckets: number[], epochs: string[]];

function heldBy(database: MemoryDatabase, [owner, buckets, epochs]: Held) {
  return database.buckets.filter(
    (row) => row.owner === owner && String(row.epoch) === epochs[buckets.indexOf(row.bucket)],
  );
}

function outboxStatements(sabotage: Sabotage | undefined): Statement[] {
  const direction = sabotage === 'no-order' ? -1 : 1;
  return [
    {
      begins: 'insert into event_sequence',
      lock: ([aggregate]: [string]) => `aggregate ${aggregate}`,
      run({ eventSequences, nowMs }, [aggregate]: [string], write) {
        const last = eventSequences.get(aggregate) ?? 0;
        const sequence = Math.max(last + 1, Math.floor(nowMs * 1000));
        write(() => eventSequences.set(aggregate, sequence));
        return [{ sequence: String(sequence) }];
      },
    },
    {
      begins: 'insert into outbox (id,',
      run(database, parameters: never[], write) {
        const [id, bucket, key, aggregate, sequence, type, version, occurred_at, ...rest] =
          parameters;
        const [traceparent, data] = rest;
        const row = { id, bucket, key, aggregate, sequence, type, version, occurred_at };
        const position = database.nextSerial();
        write(() => database.outbox.set(id, { ...row, traceparent, data, position } as OutboxRow));
      },
    },
    {
      begins: 'select o.id, o.bucket, o.key, o.aggregate',
      run(database, [owner, buckets, epochs, limit]: [...Held, number]) {
        const readable = heldBy(database, [owner, buckets, epochs]).filter(
          ({ leaseUntilMs }) => leaseUntilMs > database.nowMs + LEASE_LEFT_MS,
        );
        const unsent = [...database.outbox.values()].filter((row) => row.sentAtMs === undefined);
        return readable.flatMap(({ bucket }) =>
          unsent
            .filter((row) => row.bucket === bucket)
            .toSorted((a, b) => direction * (a.position - b.position))
            .slice(0, limit),
        );
      },
    },
    {
      begins: 'with mine as ( select bucket from outbox_bucket',
      run(database, [owner, bucket, epoch, ids]: [string, number, string, string[]], write) {
        const owned = heldBy(database, [owner, [bucket], [epoch]]).length > 0;
        const rows = owned ? ids.map((id) => database.outbox.get(id)) : [];
        for (const row of rows) if (row) write(() => (row.sentAtMs ??= database.nowMs));
        return [{ owned }];
      },
    },
  ];
}

const BUCKET_STATEMENTS: Statement[] = [
  {
    begins: "update outbox_bucket b set lease_until = clock_timestamp() + interval '6 s'",
    run(database, held: Held, write) {
      return heldBy(database, held).map((row) => {
        write(() => (row.leaseUntilMs = database.nowMs + LEASE_MS));
        return { bucket: row.bucket, epoch: String(row.epoch) };
      });
    },
  },
  {
    begins: 'update outbox_bucket set owner = $1, epoch = epoch + 1',
    run({ buckets, nowMs }, [owner]: [string], write) {
      const free = buckets.filter(({ leaseUntilMs }) => leaseUntilMs < nowMs);
      return free.map((row) => {
        const taken = { owner, epoch: row.epoch + 1, leaseUntilMs: nowMs + LEASE_MS };
        write(() => Object.assign(row, taken));
        return { bucket: row.bucket, epoch: String(taken.epoch) };
      });
    },
  },
];

function inboxStatements(sabotage: Sabotage | undefined): Statement[] {
  return [
    {
      begins: 'select pg_advisory_xact_lock',
      lock: ([consumer, bucket]: [string, number]) => `bucket ${consumer} ${bucket}`,
      run: () => [],
    },
    {
      begins: 'with arrived as ( select a.event_id',
      run(
        { failedEvents, inbox },
        [, topic, ids, keys, areDeltas]: [string, string, string[], string[], boolean[]],
        write,
      ) {
        const heads = [...failedEvents.values()].filter((row) => row.state === 'retrying');
        const mustWait = (place: number) =>
          areDeltas[place] &&
          sabotage !== 'failed-hold-nobody' &&
          heads.some((row) => row.topic === topic && row.key === keys[place]);
        const isKnown = (id: string) =>
          failedEvents.has(id) || (inbox.has(id) && sabotage !== 'no-inbox');
        const arrived = ids
          .map((event_id, place) => ({ event_id, is_fresh: !mustWait(place) }))
          .filter(({ event_id }) => !isKnown(event_id));
        const fresh = arrived.filter(({ is_fresh }) => is_fresh);
        for (const { event_id } of fresh) write(() => inbox.add(event_id));
        return arrived;
      },
    },
    {
      begins: 'with entered as ( insert into inbox',
      run({ inbox }, [, id]: [string, string], write) {
        write(() => inbox.add(id));
        return [{ is_new: !inbox.has(id) }];
      },
    },
    {
      begins: 'select aggregate, sequence from inbox_sequence',
      run({ inboxSequences }, [, aggregates]: [string, string[]]) {
        if (sabotage === 'no-sequences') return [];
        return aggregates.flatMap((aggregate) => {
          const sequence = inboxSequences.get(aggregate);
          return sequence === undefined ? [] : [{ aggregate, sequence }];
        });
      },
    },
    {
      begins: 'insert into inbox_sequence',
      run({ inboxSequences }, [, aggregates, sequences]: [string, string[], string[]], write) {
        for (const [place, aggregate] of aggregates.entries()) {
          write(() => inboxSequences.set(aggregate, sequences[place]));
        }
      },
    },
  ];
}

const FAILED_EVENT_STATEMENTS: Statement[] = [
  {
    begins: 'insert into failed_event',
    run(database, parameters: never[], write) {
      const { failedEvents, inbox, nowMs: failedAtMs } = database;
      const [, event_id, topic, bucket, key, type, body, state, reason, attempts, delayMs] =
        parameters;
      if (inbox.has(event_id) || failedEvents.has(event_id)) return;
      const row = { event_id, topic, bucket, key, type, body, state, reason, attempts, failedAtMs };
      const times = { nextTryAtMs: failedAtMs + delayMs, arrival: database.nextSerial() };
      write(() => failedEvents.set(event_id, { ...row, ...times } as FailedEventRow));
    },
  },
  { begins: 'with heads as ( select distinct on (topic, key)', run: () => [] },
  {
    begins: 'select topic, bucket, key from (',
    run: (database) => headsOf(database).filter((row) => row.nextTryAtMs <= database.nowMs),
  },
  {
    begins: 'select event_id, topic, bucket, key, type, body, reason, attempts',
    run(database, [, topic, key]: [string, string, string]) {
      const heads = headsOf(database).filter((row) => row.topic === topic && row.key === key);
      return heads.map((head) => ({
        ...head,
        is_due: head.nextTryAtMs <= database.nowMs,
        failed_for_ms: database.nowMs - head.failedAtMs,
      }));
    },
  },
  {
    begins: 'update failed_event set state = $3',
    run({ failedEvents, nowMs }, parameters: never[], write) {
      const [, id, state, reason, attempts, delayMs] = parameters;
      const row = failedEvents.get(id);
      if (row?.state !== 'retrying') return;
      write(() => Object.assign(row, { state, reason, attempts, nextTryAtMs: nowMs + delayMs }));
    },
  },
  {
    begins: 'delete from failed_event',
    run({ failedEvents }, [, id]: [string, string], write) {
      write(() => failedEvents.delete(id));
    },
  },
];

function headsOf({ failedEvents }: MemoryDatabase): FailedEventRow[] {
  const failed = [...failedEvents.values()]
    .filter(({ state }) => state === 'retrying')
    .toSorted((a, b) => a.arrival - b.arrival);
  const queues = Map.groupBy(failed, ({ topic, key }) => `${topic} ${key}`).values();
  return [...queues].map(([head]) => head);
}
