import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, type MaintenanceDatabase, withClient } from '#libs/database';
import { FIRST_ID } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { FollowedSubscriptionsMaintenanceRepository } from './followed-subscriptions.repository.js';

const RUNNING = 20_000;
/** The number of subscriptions whose accounts were erased long ago. */
const ENDED = 20_000;
/** The number of running subscriptions with each kind of pending change. */
const WISHING = 3;
/** Maximum number of 8 KiB pages read; the table of subscriptions alone has more than 900. */
const BLOCKS_MAX = 300;

describe('subscriptions to follow up', () => {
  let test: TestDatabase;
  let maintenance: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    maintenance = await test.maintenance('billing');
    const billing = await test.service('billing');
    await seed(billing);
  });
  afterAll(() => test.drop());

  it('are found among 20,000 running and 20,000 ended subscriptions without reading all of them', async () => {
    const repository = new FollowedSubscriptionsMaintenanceRepository(
      maintenance as unknown as MaintenanceDatabase,
    );
    await repository.settleErased();
    await withClient(test.url(), (client) => client.query('vacuum analyze'));
    const found = await repository.listToFollow(FIRST_ID, 100);
    const wanted = Map.groupBy(found, (one) => one.wanted);
    expect([...wanted].map(([wish, { length }]) => [wish, length]).toSorted()).toEqual([
      ['cancel', WISHING],
      ['end', 3 * WISHING],
      ['plan', WISHING],
      ['resume', WISHING],
    ]);
    expect(await blocksRead()).toBeLessThan(BLOCKS_MAX);
  });

  it('are listed one after another, each once, so that rejected ones do not delay later ones', async () => {
    const repository = new FollowedSubscriptionsMaintenanceRepository(
      maintenance as unknown as MaintenanceDatabase,
    );
    const all = await repository.listToFollow(FIRST_ID, 100);
    const found: string[] = [];
    for (let after = FIRST_ID; found.length < all.length; after = found[found.length - 1]) {
      const [next] = await repository.listToFollow(after, 1);
      found.push(next.id);
    }
    expect(found).toEqual(all.map(({ id }) => id));
    expect(new Set(found).size).toBe(6 * WISHING);
  });

  /** Returns the number of blocks that PostgreSQL read for the job's own statement. */
  async function blocksRead(): Promise<number> {
    const explaining = {
      query: (sql: string, parameters: unknown[]) =>
        maintenance.query(`explain (analyze, buffers, format json) ${sql}`, parameters),
    };
    const repository = new FollowedSubscriptionsMaintenanceRepository(
      explaining as unknown as MaintenanceDatabase,
    );
    const [answer] = (await repository.listToFollow(FIRST_ID, 100)) as unknown as {
      'QUERY PLAN': [{ Plan: Record<string, number> }];
    }[];
    const { Plan: plan } = answer['QUERY PLAN'][0];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
});

/** Inserts running subscriptions. Only the first ones need a change. */
async function seed(billing: Database): Promise<void> {
  await billing.query(
    `insert into orders (id, account_id, request_key, request_hash, state, processor, amount_micros, currency,
       is_reverse_charge, catalogue_version, expires_at, created_at, updated_at)
     values (gen_random_uuid(), gen_random_uuid(), 'one', '', 'paid', 'stripe', 1, 'USD', false, '1',
       now(), now(), now())`,
  );
  const kind = (place: number) => `n between ${place * WISHING + 1} and ${(place + 1) * WISHING}`;
  await billing.query(
    `insert into subscriptions (id, account_id, order_id, line, processor, external_id, state, sku, quantity,
       interval, catalogue_version, currency, tax_ppm, period_start, period_end, is_current, is_duplicate,
       is_cancelled_by_deletion, is_reversed, wanted_sku, wanted_quantity, created_at, updated_at)
     select gen_random_uuid(), gen_random_uuid(), (select id from orders), 'api', 'stripe', 'sub_' || n,
       case when n > $1 then 'cancelled' else 'active' end, 'api-5K-month', 1, 'month', '1', 'USD', 0, now(), now(),
       n <= $1, ${kind(0)}, ${kind(3)}, ${kind(1)},
       case when ${kind(2)} then 'api-5K-month' end, case when ${kind(2)} then 1 end, now(), now()
     from generate_series(1, $2::int) n`,
    [RUNNING, RUNNING + ENDED],
  );
  await billing.query(
    `insert into account_states (account_id, state, changed_at)
     select account_id, case when n > $1 or ${kind(4)} then 'erased' when ${kind(3)} then 'active' else 'deleted' end,
       now()
     from (select account_id, substr(external_id, 5)::int as n from subscriptions) s
     where n > $1 or ${kind(3)} or ${kind(4)} or ${kind(5)}`,
    [RUNNING],
  );
}
