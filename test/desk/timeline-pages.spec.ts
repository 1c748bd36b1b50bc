import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TimelineRow } from '#libs/contracts';
import type { Database } from '#libs/database';
import { newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { TimelineRepository as OfAccount } from '../../apps/account/src/operators/timeline.repository.js';
import { TimelineRepository as OfBilling } from '../../apps/billing/src/timeline/timeline.repository.js';
import { TimelineRepository as OfEntitlement } from '../../apps/entitlement/src/timeline/timeline.repository.js';
import { plantLife } from './long-life.js';

/** Rows of each of eight kinds: 100,000 in all. */
const OF_EACH = 12_500;
const PAGE = 50;
/**
 * 8 KiB each; an index has three levels at this size, and each movement of credits looks up its entries. The outbox, which
 * keeps events for minutes only, is read whole.
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
      await plantLife(test, service, { accountId, ofEach: OF_EACH });
    }
  });
  afterAll(() => test.drop());

  it.each([
    ['account', OfAccount, ['audit']],
    ['billing', OfBilling, ['callback', 'invoice', 'mail', 'order', 'payment']],
    ['entitlement', OfEntitlement, ['credits', 'event']],
  ] as const)(
    '%s reads few blocks for a page, however much lies before it',
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

  /** PostgreSQL's own count for exactly this statement. */
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
