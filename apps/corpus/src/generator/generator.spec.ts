import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';
import type { WhoisObservation } from '../records/observation.js';
import { generatedHistory } from './generated-history.js';
import { generatedName } from './generated-labels.js';

const TODAY = new Date('2026-03-02T00:00:00Z');
const NAMES = 200;
const SEED = 7;

describe('generated names', () => {
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
  });
  afterAll(() => corpus.stop());

  const count = async (table: string) => {
    const [row] = await corpus.database.query<{ rows: number }>(
      `select count(*)::int as rows from ${table}`,
    );
    return row.rows;
  };

  it('differ for each number, and are the same for the same seed', () => {
    const names = Array.from({ length: 60_000 }, (_, index) => generatedName(index, SEED));
    expect(new Set(names).size).toBe(names.length);
    expect(generatedHistory(77, SEED, TODAY)).toEqual(generatedHistory(77, SEED, TODAY));
    expect(generatedName(77, SEED + 1)).not.toBe(generatedName(77, SEED));
  });

  const histories = Array.from({ length: 2_000 }, (_, index) =>
    generatedHistory(index, SEED, TODAY),
  );

  it('publish personal data in most records before 25 May 2018, and in few since', () => {
    const registrations = histories.flat().filter((one) => one.kind === 'whois');
    const published = (one: (typeof registrations)[number]) =>
      (one.registration.registrant_contact as { name?: string }).name !== undefined &&
      one.registration.privacy_service !== true;
    const before = registrations.filter(({ at }) => at < new Date('2018-05-25'));
    const since = registrations.filter(({ at }) => at >= new Date('2018-05-25'));
    expect(before.filter(published).length / before.length).toBeGreaterThan(0.8);
    expect(since.filter(published).length / since.length).toBeLessThan(0.2);
    expect(histories.every((history) => history.every(({ at }) => at < TODAY))).toBe(true);
  });

  it('include a few names that were registered within the last week', async () => {
    const weekBefore = new Date(TODAY.getTime() - 7 * DAY_MS);
    const young = histories.filter((history) => history.every(({ at }) => at >= weekBefore));
    expect(young.length).toBeGreaterThan(5);
    expect(young.length).toBeLessThan(50);
    for (const [first] of young) {
      const { create_date: created } = (first as WhoisObservation).registration;
      expect(Date.parse(String(created))).toBeGreaterThanOrEqual(weekBefore.getTime());
      expect(Date.parse(String(created))).toBeLessThan(first.at.getTime());
    }
  });

  it('fill the tables, are added only once, and are removed without a trace', async () => {
    const first = await corpus.generate(NAMES, SEED);
    expect(first.newNames).toBe(NAMES);
    const tables = ['domain', 'whois_revision', 'contact_token', 'dns_span', 'host', 'source'];
    const before = await Promise.all(tables.map(count));
    expect(Math.min(...before)).toBeGreaterThan(1);
    expect((await corpus.generate(NAMES, SEED)).newNames).toBe(0);
    expect(await Promise.all(tables.map(count))).toEqual(before);
    await corpus.clearGenerated();
    expect(await Promise.all(tables.map(count))).toEqual([0, 0, 0, 0, 0, 1]);
    expect(await count('tld_names where names <> 0')).toBe(0);
  });

  it('are not mixed with what other sources know about a name', async () => {
    const name = generatedName(3, SEED);
    const record = { registrant_contact: { name: 'Real Owner' } };
    await corpus.record({ kind: 'whois', name, at: '2020-01-01T00:00:00Z', record });
    expect((await corpus.generate(NAMES, SEED)).newNames).toBe(NAMES - 1);
    await corpus.clearGenerated();
    const rows = await Promise.all(['whois_revision', 'contact_token', 'dns_span'].map(count));
    expect(rows).toEqual([1, 1, 0]);
  });

  it('remain, but without generated data, if another source lists them later', async () => {
    const name = generatedName(4, SEED);
    await corpus.generate(NAMES, SEED);
    await corpus.recordOf({ name: 'list' }, { kind: 'listed', name, at: TODAY.toISOString() });
    await corpus.clearGenerated();
    const kept = await corpus.database.query(
      `select d.name, s.name as source, (select count(*)::int from whois_revision r where r.name = d.name) as records
       from domain d join source s on s.id = d.source_id where d.name = $1`,
      [name],
    );
    expect(kept).toEqual([{ name, source: 'list', records: 0 }]);
  });
});
