import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { TimelineRepository } from './timeline.repository.js';

/** Of each of five kinds: 100,000 in all. */
const OF_EACH = 20_000;
const PAGE = 50;
/** 8 KiB each; an index has three levels at this size. */
const BLOCKS_MAX = 100;
const PLANT_TIMEOUT_MS = 120_000;
const NOBODY_LATER = new Date('9999-12-31T00:00:00Z');
const EVERY_MINUTE = `now() - n * interval '1 minute'`;
const ROWS = `generate_series(1, ${OF_EACH}) n`;

/** Rows as billing writes them, all of account `$1`. */
const PLANTED = [
  `insert into orders (id, account_id, request_key, request_hash, state, processor, amount_micros,
     currency, catalogue_version, checkout_id, expires_at, created_at, updated_at)
   select gen_random_uuid(), $1, n::text, '', 'paid', 'stripe', 1, 'USD', '1', 'cs_' || n, now(),
     ${EVERY_MINUTE}, now() from ${ROWS}`,
  `insert into payments (id, account_id, processor, external_id, amount_micros, currency,
     catalogue_version, confirmed_at, is_announced)
   select gen_random_uuid(), $1, 'stripe', 'pi_' || n, 1, 'USD', '1', ${EVERY_MINUTE}, true from ${ROWS}`,
  `insert into invoices (id, account_id, kind, series, number, payment_id, lines, tax_micros,
     total_micros, currency, seller, paid_by, issued_at)
   select gen_random_uuid(), $1, 'invoice', 'INV', n, gen_random_uuid(), '[]', 0, 1, 'USD', '{}', '{}',
     ${EVERY_MINUTE} from ${ROWS}`,
  `insert into callbacks (id, processor, event_id, type, kind, external_id, occurred_at, received_at,
     source, account_id)
   select gen_random_uuid(), 'stripe', 'evt_' || n, 'paid', 'payment', 'pi_' || n, now(),
     ${EVERY_MINUTE}, 'callback', $1 from ${ROWS}`,
  `insert into mailed_notices select $1, 'n' || n, ${EVERY_MINUTE} from ${ROWS}`,
];

describe('a timeline of 100,000 events of one account', () => {
  const accountId = newId();
  let test: TestDatabase;
  let billing: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    await withClient(test.url(), async (client) => {
      await client.query('set search_path = billing; set session_replication_role = replica');
      for (const statement of PLANTED) await client.query(statement, [accountId]);
      await client.query('analyze');
    });
    billing = await test.service('billing');
  }, PLANT_TIMEOUT_MS);
  afterAll(() => test.drop());

  it('reads a page from the ends of its indexes, however much lies before it', async () => {
    const middle = new Date(Date.now() - (OF_EACH / 2) * 60_000);
    for (const before of [NOBODY_LATER, middle]) {
      const rows = await new TimelineRepository(billing).list(accountId, before, PAGE);
      expect(rows.length).toBeGreaterThanOrEqual(PAGE);
      const kinds = ['callback', 'invoice', 'notice', 'order', 'payment'];
      expect([...new Set(rows.map(({ kind }) => kind))].toSorted()).toEqual(kinds);
      expect(await blocksRead(before)).toBeLessThan(BLOCKS_MAX);
    }
  });

  /** As PostgreSQL counts them for the very statement of the page. */
  async function blocksRead(before: Date): Promise<number> {
    const explaining = {
      query: (sql: string, parameters: unknown[]) =>
        billing.query(`explain (analyze, buffers, format json) ${sql}`, parameters),
    };
    const repository = new TimelineRepository(explaining as unknown as Database);
    const [answer] = (await repository.list(accountId, before, PAGE)) as unknown as {
      'QUERY PLAN': [{ Plan: Record<string, number> }];
    }[];
    const { Plan: plan } = answer['QUERY PLAN'][0];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
});
