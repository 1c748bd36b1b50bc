import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '#libs/database';
import { newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { plantLife } from '../../../../test/desk/long-life.js';
import { TimelineRepository } from './timeline.repository.js';

/** Of each of five kinds: 100,000 in all. */
const OF_EACH = 20_000;
const PAGE = 50;
/** 8 KiB each; an index has three levels at this size. */
const BLOCKS_MAX = 100;
const PLANT_TIMEOUT_MS = 120_000;
const NOBODY_LATER = new Date('9999-12-31T00:00:00Z');

describe('a timeline of 100,000 events of one account', () => {
  const accountId = newId();
  let test: TestDatabase;
  let billing: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    await plantLife(test, 'billing', { accountId, ofEach: OF_EACH });
    billing = await test.service('billing');
  }, PLANT_TIMEOUT_MS);
  afterAll(() => test.drop());

  it('reads a page from the ends of its indexes, however much lies before it', async () => {
    const middle = new Date(Date.now() - (OF_EACH / 2) * 60_000);
    for (const before of [NOBODY_LATER, middle]) {
      const rows = await new TimelineRepository(billing).list(accountId, before, PAGE);
      expect(rows.length).toBeGreaterThanOrEqual(PAGE);
      const kinds = ['callback', 'invoice', 'mail', 'order', 'payment'];
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
