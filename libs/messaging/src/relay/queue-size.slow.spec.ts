import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { FailedEventRepository } from '../failed-events/failed-event.repository.js';
import { MessagingHarness } from '../transports/messaging-harness.contract.js';
import { OutboxRepository } from './outbox.repository.js';

const ROUNDS = 18;
const EVENTS_A_ROUND = 2_000;
/** The number of rounds until indexes can reuse pages of earlier rounds. */
const STEADY_AFTER = 3;
/**
 * Now and then, a round does not find all the free space, and the table grows. If rounds left their pages behind, it
 * would grow in each of the 14 later rounds.
 */
const GROWING_ROUNDS_MAX = 7;
const growingRounds = (sizes: readonly number[]) =>
  sizes.filter((size, at) => at > STEADY_AFTER && size > Math.max(...sizes.slice(0, at))).length;
const TABLES = ['account.outbox', 'entitlement.failed_event'];
/**
 * A vacuum truncates empty pages only if nobody else is reading the table at that moment, and a truncated table is
 * larger the next time. Here the table keeps its pages, because the test checks whether they are reused.
 */
const KEEPS_PAGES = ['autovacuum_enabled', 'vacuum_truncate'];

/**
 * Matches reports of `vacuum (verbose)` that space is left for the next run: rows that an older transaction may still
 * read, rows on a page that another session held, and emptied index pages that a running scan may still reach.
 */
const LEFT = [/[1-9]\d* are dead but not yet removable/, /tuples missed:/];
const INDEX_PAGES = /(\d+) currently deleted, (\d+) reusable/g;

/**
 * Whether no transaction from before this one is open on the server. While one is, in whichever database, an insert does
 * not use emptied index pages again.
 */
const OLDER_ARE_OVER =
  'select pg_current_xact_id() = pg_snapshot_xmin(pg_current_snapshot()) as over';

const leavesNothing = (told: string) =>
  told.includes('not yet removable') &&
  !LEFT.some((pattern) => pattern.test(told)) &&
  [...told.matchAll(INDEX_PAGES)].every(([, deleted, reusable]) => deleted === reusable);

/** Runs rounds of traffic, each as large as the outbox can become; the test runs vacuum instead of autovacuum. */
describe('event queues', () => {
  let messaging: MessagingHarness;
  beforeAll(async () => {
    messaging = await MessagingHarness.open();
    const off = KEEPS_PAGES.flatMap((name) => [`${name} = off`, `toast.${name} = off`]).join(', ');
    await withClient(messaging.test.url(), async (client) => {
      for (const table of TABLES) await client.query(`alter table ${table} set (${off})`);
    });
  });
  afterAll(() => messaging.close());

  async function sizeAfterVacuum(schema: string, table: string): Promise<number> {
    return withClient(messaging.test.url(), async (client) => {
      let told = '';
      client.on('notice', ({ message }) => {
        told += message ?? '';
      });
      await waitFor('all room of removed rows to be free', async () => {
        told = '';
        // Pages of an index are free once a transaction has begun after they were emptied.
        await client.query('select pg_current_xact_id()');
        await client.query(`vacuum (verbose, index_cleanup on) ${schema}.${table}`);
        return leavesNothing(told);
      });
      await waitFor('older transactions to end', async () => {
        const { rows } = await client.query<{ over: boolean }>(OLDER_ARE_OVER);
        return rows[0].over;
      });
      const { rows } = await client.query<{ bytes: string }>(
        'select pg_total_relation_size($1) as bytes',
        [`${schema}.${table}`],
      );
      return Number(rows[0].bytes);
    });
  }

  it('the outbox takes no more space after many rounds of events than after a few', async () => {
    const outbox = new OutboxRepository(messaging.maintenance, newId());
    const sizes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await messaging.producer.query(INSERT, [EVENTS_A_ROUND, round]);
      await messaging.maintenance.query(
        `update outbox set sent_at = clock_timestamp() - interval '11 minutes' where sent_at is null`,
      );
      expect(await outbox.deleteOld(2 * EVENTS_A_ROUND)).toBe(EVENTS_A_ROUND);
      sizes.push(await sizeAfterVacuum('account', 'outbox'));
    }
    expect(growingRounds(sizes)).toBeLessThanOrEqual(GROWING_ROUNDS_MAX);
  });

  it('failed events that were handled later take no more space either, and no unhandled event is deleted with them', async () => {
    const failedEvents = new FailedEventRepository('entitlement');
    const fail = (ids: string[], state: 'retrying' | 'dead') =>
      messaging.consumer.transaction(async (transaction) => {
        for (const id of ids) {
          await failedEvents.insert(
            transaction,
            { id, topic: 'account.events', bucket: 1, key: newId(), body: '{}' },
            { type: 'account.counted', state, reason: 'not now', attempts: 1, delayMs: 0 },
          );
        }
      });
    const unhandled = [newId(), newId()];
    await fail(unhandled.slice(0, 1), 'dead');
    await fail(unhandled.slice(1), 'retrying');
    const sizes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const ids = Array.from({ length: 100 }, newId);
      await fail(ids, 'retrying');
      await messaging.consumer.transaction(async (transaction) => {
        for (const id of ids) await failedEvents.delete(transaction, id);
      });
      sizes.push(await sizeAfterVacuum('entitlement', 'failed_event'));
    }
    expect(growingRounds(sizes)).toBeLessThanOrEqual(GROWING_ROUNDS_MAX);
    const left = await messaging.consumer.query<{ id: string }>(
      'select event_id as id from failed_event order by arrival',
    );
    expect(left.map(({ id }) => id)).toEqual(unhandled);
  });
});

const INSERT = `
  insert into outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data)
  select gen_random_uuid(), n % 16, n::text, 'thing:' || n, $2::bigint, 'account.counted', 1, now(),
    '{"n": 1}'
  from generate_series(1, $1::int) n`;
