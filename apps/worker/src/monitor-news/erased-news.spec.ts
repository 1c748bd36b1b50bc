import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, type Transaction, withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { NewsRepository } from './news.repository.js';

/** So many monitors of others that reading all their events takes longer than using an index. */
const OTHERS = 200;
const EVENTS = 100;

describe('the events of an erased account', () => {
  const [gone, stays] = [newId(), newId()];
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.service('worker');
    for (const [accountId, monitors] of [
      [gone, 1],
      [stays, OTHERS],
    ] as const) {
      await database.query(
        `with added as (
           insert into monitors (id, account_id, kind, name, rule, created_at)
           select gen_random_uuid(), $1, 'brand', 'a' || n, '{}', now() from generate_series(1, $2::int) n
           returning id)
         insert into monitor_events (id, monitor_id, account_id, fact, type, domain_name, details, at, awaits_mail)
         select gen_random_uuid(), added.id, $1, 'fact ' || n, 'brand.match', 'found.com', '{}', now(), false
         from added, generate_series(1, ${EVENTS}) n`,
        [accountId, monitors],
      );
    }
    await withClient(test.url(), (client) =>
      client.query('analyze worker.monitor_events, worker.monitors'),
    );
  });
  afterAll(() => test.drop());

  it('are deleted without reading the events of all others, which would take longer than a handler may', async () => {
    const news = new NewsRepository();
    let plan = '';
    await database.transaction(async (transaction) => {
      const query = async (sql: string, parameters: unknown[]) => {
        plan = JSON.stringify(await transaction.query(`explain ${sql}`, parameters));
        return transaction.query(sql, parameters);
      };
      await news.deleteOfAccount({ query } as unknown as Transaction, gone);
    });
    expect(plan).not.toContain('Seq Scan on monitor_events');
    const left = await database.query(
      'select account_id, count(*)::int from monitor_events group by 1',
    );
    expect(left).toEqual([{ account_id: stays, count: OTHERS * EVENTS }]);
  });
});
