import type { MemoryTransaction, Statement } from './memory-database.js';
import type { Sabotage } from './sabotage.js';

interface BucketRow {
  bucket: number;
  owner: string;
  epoch: number;
  leaseUntilMs: number;
}

export interface OutboxRow {
  id: string;
  bucket: number;
  position: number;
  key: string;
  aggregate: string;
  sequence: string;
  type: string;
  version: number;
  occurred_at: Date;
  traceparent: string | null;
  data: string;
  sentAtMs?: number;
}

export interface FailedEventRow {
  event_id: string;
  topic: string;
  bucket: number;
  key: string;
  type: string;
  body: string;
  state: 'retrying' | 'dead';
  attempts: number;
  arrival: number;
  failedAtMs: number;
  nextTryAtMs: number;
}

const BUCKETS = 16;
const LEASE_MS = 6_000;
const LEASE_LEFT_MS = 3_000;

/** The statements of `libs/messaging`, on rows in memory. */
export function messagingStatements(sabotage: Sabotage | undefined): Statement[] {
  let position = 0;
  let arrival = 0;
  return [
    ...outboxStatements(() => ++position, sabotage),
    ...bucketStatements(),
    ...inboxStatements(sabotage),
    ...failedEventStatements(() => ++arrival),
  ];
}

function outboxStatements(nextPosition: () => number, sabotage: Sabotage | undefined): Statement[] {
  const direction = sabotage === 'no-order' ? -1 : 1;
  return [
    {
      begins: 'insert into event_sequence',
      locks: ([aggregate]) => [`aggregate ${String(aggregate)}`],
      run(transaction, [aggregate]) {
        const known = transaction.get<{ sequence: number }>('event_sequence', String(aggregate));
        const sequence = Math.max((known?.sequence ?? 0) + 1, Math.floor(transaction.nowMs * 1000));
        transaction.put('event_sequence', String(aggregate), { sequence });
        return [{ sequence: String(sequence) }];
      },
    },
    {
      begins: 'insert into outbox (id,',
      run(transaction, parameters) {
        const [
          id,
          bucket,
          key,
          aggregate,
          sequence,
          type,
          version,
          occurred_at,
          traceparent,
          data,
        ] = parameters as never[];
        const row = { id, bucket, key, aggregate, sequence, type, version, occurred_at };
        // Positions are assigned now but visible only at the commit, so their order differs from that of the commits.
        const position = nextPosition();
        transaction.put('outbox', id, { ...row, traceparent, data, position });
        return [];
      },
    },
    {
      begins: 'select o.id, o.bucket, o.key, o.aggregate',
      run(transaction, [owner, buckets, epochs, limit]) {
        const held = heldBy(transaction, owner, buckets as number[], epochs as string[]);
        const readable = new Set(
          held
            .filter(({ leaseUntilMs }) => leaseUntilMs > transaction.nowMs + LEASE_LEFT_MS)
            .map(({ bucket }) => bucket),
        );
        const unsent = transaction
          .list<OutboxRow>('outbox')
          .filter((row) => row.sentAtMs === undefined && readable.has(row.bucket))
          .toSorted((a, b) => a.bucket - b.bucket || direction * (a.position - b.position));
        const byBucket = Map.groupBy(unsent, ({ bucket }) => bucket);
        return [...byBucket.values()].flatMap((rows) => rows.slice(0, Number(limit)));
      },
    },
    {
      begins: 'with mine as ( select bucket from outbox_bucket',
      run(transaction, [owner, bucket, epoch, ids]) {
        const [mine] = heldBy(transaction, owner, [bucket as number], [epoch as string]);
        for (const id of mine ? (ids as string[]) : []) {
          const row = transaction.get<OutboxRow>('outbox', id);
          if (row && row.sentAtMs === undefined) {
            transaction.put('outbox', id, { ...row, sentAtMs: transaction.nowMs });
          }
        }
        return [{ owned: mine !== undefined }];
      },
    },
    { begins: 'with gone as ( delete from outbox', run: () => [{ deleted: 0 }] },
  ];
}

function bucketStatements(): Statement[] {
  return [
    {
      begins: "update outbox_bucket b set lease_until = clock_timestamp() + interval '6 s'",
      run(transaction, [owner, buckets, epochs]) {
        const held = heldBy(transaction, owner, buckets as number[], epochs as string[]);
        const leaseUntilMs = transaction.nowMs + LEASE_MS;
        for (const row of held) putBucket(transaction, { ...row, leaseUntilMs });
        return held.map(({ bucket, epoch }) => ({ bucket, epoch: String(epoch) }));
      },
    },
    {
      begins: 'update outbox_bucket set owner = $1, epoch = epoch + 1',
      run(transaction, [owner]) {
        const free = allBuckets(transaction).filter((row) => row.leaseUntilMs < transaction.nowMs);
        const leaseUntilMs = transaction.nowMs + LEASE_MS;
        return free.map(({ bucket, epoch }) => {
          const row = { bucket, owner: String(owner), epoch: epoch + 1, leaseUntilMs };
          putBucket(transaction, row);
          return { bucket, epoch: String(row.epoch) };
        });
      },
    },
    {
      begins: "update outbox_bucket b set lease_until = '-infinity'",
      run(transaction, [owner, buckets, epochs]) {
        for (const row of heldBy(transaction, owner, buckets as number[], epochs as string[])) {
          putBucket(transaction, { ...row, leaseUntilMs: -Infinity });
        }
        return [];
      },
    },
  ];
}

function inboxStatements(sabotage: Sabotage | undefined): Statement[] {
  return [
    {
      begins: 'select pg_advisory_xact_lock',
      locks: ([consumer, bucket]) => [`bucket ${String(consumer)} ${String(bucket)}`],
      run: () => [],
    },
    {
      begins: 'with arrived as ( select a.event_id',
      run(transaction, [, topic, ids, keys, areDeltas]) {
        const failed = transaction.list<FailedEventRow>('failed_event');
        const rows = (ids as string[]).map((event_id, place) => ({
          event_id,
          waits:
            (areDeltas as boolean[])[place] &&
            sabotage !== 'failed-hold-nobody' &&
            failed.some(
              (row) =>
                row.topic === topic &&
                row.key === (keys as string[])[place] &&
                row.state === 'retrying',
            ),
        }));
        const isKnown = (id: string) =>
          transaction.get('inbox', id) !== undefined && sabotage !== 'no-inbox';
        const arrived = rows.filter(
          ({ event_id }) => !failed.some((row) => row.event_id === event_id) && !isKnown(event_id),
        );
        for (const { event_id } of arrived.filter(({ waits }) => !waits)) {
          transaction.put('inbox', event_id, {});
        }
        return arrived.map(({ event_id, waits }) => ({ event_id, is_fresh: !waits }));
      },
    },
    {
      begins: 'with entered as ( insert into inbox',
      run(transaction, [, id]) {
        const isNew = !transaction.get('inbox', String(id));
        transaction.put('inbox', String(id), {});
        return [{ is_new: isNew }];
      },
    },
    {
      begins: 'select aggregate, sequence from inbox_sequence',
      run(transaction, [, aggregates]) {
        if (sabotage === 'no-sequences') return [];
        return (aggregates as string[]).flatMap((aggregate) => {
          const row = transaction.get<{ sequence: string }>('inbox_sequence', aggregate);
          return row ? [{ aggregate, sequence: row.sequence }] : [];
        });
      },
    },
    {
      begins: 'insert into inbox_sequence',
      run(transaction, [, aggregates, sequences]) {
        for (const [place, aggregate] of (aggregates as string[]).entries()) {
          transaction.put('inbox_sequence', aggregate, {
            sequence: (sequences as string[])[place],
          });
        }
        return [];
      },
    },
    { begins: "update inbox set outcome = 'superseded'", run: () => [] },
    { begins: 'with gone as ( delete from failed_event', run: () => [{ deleted: 0 }] },
  ];
}

function failedEventStatements(nextArrival: () => number): Statement[] {
  return [
    {
      begins: 'insert into failed_event',
      run(transaction, parameters) {
        const [, event_id, topic, bucket, key, type, body, state, , attempts, delayMs] =
          parameters as never[];
        const isKnown = ['inbox', 'failed_event'].some((table) => transaction.get(table, event_id));
        if (isKnown) return [];
        const failedAtMs = transaction.nowMs;
        const row = { event_id, topic, bucket, key, type, body, state, attempts, failedAtMs };
        const nextTryAtMs = failedAtMs + delayMs;
        transaction.put('failed_event', event_id, { ...row, nextTryAtMs, arrival: nextArrival() });
        return [];
      },
    },
    { begins: 'with heads as ( select distinct on (topic, key)', run: () => [] },
    {
      begins: 'select topic, bucket, key from (',
      run(transaction) {
        return headsOf(transaction).filter((row) => row.nextTryAtMs <= transaction.nowMs);
      },
    },
    {
      begins: 'select event_id, topic, bucket, key, type, body, attempts',
      run(transaction, [, topic, key]) {
        const head = headsOf(transaction).find((row) => row.topic === topic && row.key === key);
        if (!head) return [];
        const is_due = head.nextTryAtMs <= transaction.nowMs;
        return [{ ...head, is_due, failed_for_ms: transaction.nowMs - head.failedAtMs }];
      },
    },
    {
      begins: 'update failed_event set state = $3',
      run(transaction, [, id, state, , attempts, delayMs]) {
        const row = transaction.get<FailedEventRow>('failed_event', String(id));
        if (row?.state !== 'retrying') return [];
        const nextTryAtMs = transaction.nowMs + Number(delayMs);
        transaction.put('failed_event', String(id), { ...row, state, attempts, nextTryAtMs });
        return [];
      },
    },
    {
      begins: 'delete from failed_event',
      run(transaction, [, id]) {
        transaction.delete('failed_event', String(id));
        return [];
      },
    },
  ];
}

/** The first failed event of each topic and key. */
function headsOf(transaction: MemoryTransaction): FailedEventRow[] {
  const failed = transaction
    .list<FailedEventRow>('failed_event')
    .filter(({ state }) => state === 'retrying')
    .toSorted((a, b) => a.arrival - b.arrival);
  return [...Map.groupBy(failed, ({ topic, key }) => `${topic} ${key}`).values()].map(
    ([head]) => head,
  );
}

function allBuckets(transaction: MemoryTransaction): BucketRow[] {
  return Array.from({ length: BUCKETS }, (_, bucket) => bucketRow(transaction, bucket));
}

function bucketRow(transaction: MemoryTransaction, bucket: number): BucketRow {
  const untouched = { bucket, owner: '', epoch: 0, leaseUntilMs: -Infinity };
  return transaction.get<BucketRow>('outbox_bucket', String(bucket)) ?? untouched;
}

function putBucket(transaction: MemoryTransaction, row: BucketRow): void {
  transaction.put('outbox_bucket', String(row.bucket), row);
}

function heldBy(
  transaction: MemoryTransaction,
  owner: unknown,
  buckets: number[],
  epochs: string[],
): BucketRow[] {
  return buckets
    .map((bucket) => bucketRow(transaction, bucket))
    .filter((row, place) => row.owner === owner && String(row.epoch) === epochs[place]);
}
