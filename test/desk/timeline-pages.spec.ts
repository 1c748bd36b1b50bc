import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TimelineRow } from '#libs/contracts';
import { type Database, withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { TimelineRepository as OfAccount } from '../../apps/account/src/operators/timeline.repository.js';
import { TimelineRepository as OfBilling } from '../../apps/billing/src/timeline/timeline.repository.js';
import { TimelineRepository as OfEntitlement } from '../../apps/entitlement/src/timeline/timeline.repository.js';

const EVERY_MINUTE = `now() - n * interval '1 minute'`;

/**
 * Rows in the form that the services write. `$1` is the account, and `$2` is the number of rows of each kind: one per
 * minute, up to now.
 */
const LIVES = {
  billing: [
    `insert into orders (id, account_id, request_key, request_hash, state, processor, amount_micros,
       currency, is_reverse_charge, catalogue_version, checkout_id, expires_at, created_at, updated_at)
     select uuidv7(), $1, n::text, '', 'paid', 'stripe', 1, 'USD', false, '1', 'cs_' || n, now(),
       ${EVERY_MINUTE}, now() from generate_series(1, $2) n`,
    `insert into payments (id, account_id, processor, external_id, amount_micros, currency,
       catalogue_version, confirmed_at, is_announced)
     select uuidv7(), $1, 'stripe', 'pi_' || n, 1, 'USD', '1', ${EVERY_MINUTE}, true
     from generate_series(1, $2) n`,
    `insert into invoices (id, account_id, kind, series, number, payment_id, lines, tax_micros,
       total_micros, is_reverse_charge, currency, seller, paid_by, issued_at)
     select uuidv7(), $1, 'invoice', 'INV', n, uuidv7(), '[]', 0, 1, false, 'USD', '{}', '{}',
       ${EVERY_MINUTE} from generate_series(1, $2) n`,
    `insert into callbacks (id, processor, event_id, type, kind, external_id, occurred_at, received_at,
       source, account_id)
     select uuidv7(), 'stripe', 'evt_' || n, 'paid', 'payment', 'pi_' || n, now(),
       ${EVERY_MINUTE}, 'callback', $1 from generate_series(1, $2) n`,
    `insert into mailed_notices select $1, 'n' || n, ${EVERY_MINUTE} from generate_series(1, $2) n`,
  ],
  entitlement: [
    `with moved as (
       insert into ledger_transfers (id, account_id, kind, reference, available_after, occurred_at)
       select uuidv7(), $1, 'grant', 'payment line ' || n, n, ${EVERY_MINUTE}
       from generate_series(1, $2) n returning id)
     insert into ledger_entries (transfer_id, position, account_id, ledger_account, grant_id, amount)
     select id, side, $1, case side when 1 then 'available' else 'issued' end, id,
       case side when 1 then 5 else -5 end
     from moved cross join generate_series(1, 2) side`,
    `insert into outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data)
     select uuidv7(), 0, $1::uuid::text, 'seeded', n, 'entitlement.credits-low', 1, ${EVERY_MINUTE}, '{}'
     from generate_series(1, $2) n`,
  ],
  account: [
    `insert into audit (chain, position, id, occurred_at, actor, action, object, request_id,
       previous_hash, hash)
     select $1, n + 1000000, uuidv7(), ${EVERY_MINUTE}, 'person:1', 'key.issued', 'key:' || n, 'req_1',
       '', '' from generate_series(1, $2) n`,
  ],
};

/** Creates events of an account in one service: the given number of each kind. */
async function seedLife(
  test: TestDatabase,
  service: keyof typeof LIVES,
  { accountId, ofEach }: { accountId: string; ofEach: number },
): Promise<void> {
  await withClient(test.url(), async (client) => {
    await client.query(`set search_path = ${service}; set session_replication_role = replica`);
    for (const statement of LIVES[service]) await client.query(statement, [accountId, ofEach]);
    await client.query('analyze');
  });
}

/** The number of rows of each kind. There are eight kinds, and 100,000 events in total. */
const OF_EACH = 12_500;
const PAGE = 50;
/**
 * The maximum number of 8 KiB blocks that a page reads. At this size, an index has three levels, and each movement of
 * credits looks up its entries. The outbox keeps events only for minutes and is read completely.
 */
const BLOCKS_MAX = { account: 100, billing: 100, entitlement: 800 };
const NOBODY_LATER = new Date('9999-12-31T00:00:00Z');

interface Timeline {
  list(accountId: string, before: Date, limit: number): Promise<TimelineRow[]>;
}

describe('a timeline with 100,000 events of one account', () => {
  const accountId = newId();
  let test: TestDatabase;

  beforeAll(async () => {
    test = await TestDatabase.create();
    for (const service of ['account', 'billing', 'entitlement'] as const) {
      await seedLife(test, service, { accountId, ofEach: OF_EACH });
    }
  });
  afterAll(() => test.drop());

  it.each([
    ['account', OfAccount, ['audit']],
    ['billing', OfBilling, ['callback', 'invoice', 'mail', 'order', 'payment']],
    ['entitlement', OfEntitlement, ['credits', 'event']],
  ] as const)(
    '%s reads few blocks for a page, no matter how many events precede it',
    async (service, Repository, kinds) => {
      const database = await test.service(service);
      const middle = new Date(Date.now() - (OF_EACH / 2) * 60_000);
      for (const before of [NOBODY_LATER, middle]) {
        const rows = await new Repository(database).list(accountId, before, PAGE);
        expect(rows.length).toBeGreaterThanOrEqual(PAGE);
        expect([...new Set(rows.map(({ kind }) => kind))].toSorted()).toEqual(kinds);
        const blocks = await blocksRead(
          database,
          before,
          (explaining) => new Repository(explaining),
        );
        expect({ before, isFew: blocks < BLOCKS_MAX[service], blocks }).toMatchObject({
          isFew: true,
        });
      }
    },
  );

  /** Returns the number of blocks that the timeline's statement reads, as counted by PostgreSQL. */
  async function blocksRead(
    database: Database,
    before: Date,
    timelineOf: (database: Database) => Timeline,
  ): Promise<number> {
    const explaining = {
      query: (sql: string, parameters: unknown[]) =>
        database.query(`explain (analyze, buffers, format json) ${sql}`, parameters),
    };
    const timeline = timelineOf(explaining as unknown as Database);
    const [answer] = (await timeline.list(accountId, before, PAGE)) as unknown as {
      'QUERY PLAN': [{ Plan: Record<string, number> }];
    }[];
    const { Plan: plan } = answer['QUERY PLAN'][0];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
});
