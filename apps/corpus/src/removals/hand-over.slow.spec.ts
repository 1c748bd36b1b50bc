import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TYPOS, type TyposAnswer, WHOIS_REVERSE, type WhoisReverseAnswer } from '#libs/contracts';
import { MaintenanceDatabase } from '#libs/database';
import { CorpusUnderTest } from '#test/corpus';
import { waitFor } from '#test/environment';
import { CoverageService } from '../coverage/coverage.service.js';
import {
  ALL_KEYS,
  NAMES_OF_RANGE,
  SLICES,
  domainKeyOf,
  rangesOfSlice,
  sliceOf,
} from '../names/domain-key.js';
import { fileName } from '../names/registrable-name.js';
import { FullListsService } from '../observations/full-lists.service.js';
import { RegistrationsService } from '../registrations/registrations.service.js';
import { HandOverJob } from './hand-over.job.js';

const AT = '2026-01-05T00:00:00Z';

describe('the names of a removed source', () => {
  let corpus: CorpusUnderTest;
  let folder: string;

  beforeAll(async () => {
    // This spec starts the import runs itself.
    corpus = await CorpusUnderTest.start({ work: 'serve' });
    corpus.get(CoverageService).keptMs = 100;
    // The scheduled job is postponed by a day, because it could run at the same time as a run of this spec.
    await waitFor('the end of the first run', async () => {
      const held = await corpus.get(MaintenanceDatabase).query(
        `update job_lease set last_run_at = clock_timestamp() + interval '1 day'
         where job = $1 and last_run_at is not null and lease_until = '-infinity' returning job`,
        [corpus.get(HandOverJob).name],
      );
      return held.length > 0;
    });
    folder = await mkdtemp(join(tmpdir(), 'removals-'));
  });
  afterAll(async () => {
    await corpus.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function imported(name: string, kind: string, lines: readonly string[]): Promise<void> {
    const location = await mkdtemp(join(folder, 'source-'));
    await writeFile(join(location, 'file-20260105'), `${lines.join('\n')}\n`);
    const rights = { isShown: true, isSold: name === 'sold', isLookedUp: true };
    await corpus.sources.add({ name, kind, location, ...rights });
    const { file } = await corpus.runSource(name);
    expect(file).toMatchObject({ state: 'loaded', badLines: 0 });
  }
  async function removed(name: string): Promise<void> {
    await corpus.sources.remove(name);
    await corpus.get(HandOverJob).runOnce();
  }
  const idOf = async (name: string) => {
    const [{ id }] = await corpus.database.query<{ id: number }>(
      'select id from source where name = $1',
      [name],
    );
    return id;
  };
  const found = async (keyword: string) =>
    (await corpus.pagesOf<TyposAnswer>(TYPOS, { keyword }))
      .flatMap(({ domains }) => domains)
      .map(({ domain_name }) => domain_name)
      .toSorted();
  const ownedBy = async (parameters: Record<string, string>) =>
    (await corpus.answerTo<WhoisReverseAnswer>(WHOIS_REVERSE, parameters)).domains?.map(
      ({ domain_name }) => domain_name,
    );
  /** Waits for an answer, because searches cache the list of sources. */
  const becomes = async (ask: () => Promise<unknown>, expected: readonly string[]) =>
    waitFor(
      `the answer ${expected.join()}`,
      async () => JSON.stringify(await ask()) === JSON.stringify(expected),
    );
  const record = (name: string, at: string, contact: object) =>
    JSON.stringify({ kind: 'whois', name, at, record: { registrant_contact: contact } });
  const soa = 'com.\t900\tin\tsoa\tns1.nic.com. host.com. 1 1800 900 604800 86400';
  const seen = JSON.stringify({
    rrname: 'www.kept-seen.com.',
    rrtype: 'A',
    rdata: '198.18.9.9',
    time_first: 1_700_000_000,
    time_last: 1_700_003_600,
  });

  it('are shown with the data of other sources, and hidden if no other source knows them', async () => {
    const names = ['listed', 'zoned', 'seen', 'recorded', 'sold'].map((what) => `kept-${what}.com`);
    await imported('first', 'names', [...names, 'kept-alone.com']);
    await imported('names', 'names', ['kept-listed.com']);
    await imported('zone', 'zone', [soa, 'kept-zoned.com.\t3600\tin\tns\tns1.example.net.']);
    await imported('seen', 'pdns', [seen]);
    await imported('rows', 'jsonl', [record('kept-recorded.com', AT, {})]);
    // This source takes the names over at once, because it has more rights.
    await imported('sold', 'names', ['kept-sold.com']);
    await becomes(async () => found('kept-'), [...names, 'kept-alone.com'].toSorted());
    await removed('first');
    await becomes(async () => found('kept-'), names.toSorted());
    await removed('names');
    const left = names.filter((name) => name !== 'kept-listed.com');
    await becomes(async () => found('kept-'), left.toSorted());
  });

  it('return to the source with fewer rights that had them before', async () => {
    await imported('fewer', 'names', ['back-again.com']);
    await corpus.recordOf({ name: 'more' }, { kind: 'listed', name: 'back-again.com', at: AT });
    await corpus.database.query(`update source set location = '/' where name = 'more'`);
    await removed('more');
    await becomes(async () => found('back-'), ['back-again.com']);
  });

  it('are found only by values that records of other sources publish', async () => {
    const shared = { name: 'Ada Shared', email_address: 'ada@shared.example' };
    const own = { ...shared, company: 'Only Company' };
    await imported('owner', 'jsonl', [
      record('value-one.com', '2026-01-03T00:00:00Z', shared),
      record('value-one.com', AT, own),
      record('value-two.com', AT, own),
    ]);
    await imported('other', 'jsonl', [record('value-one.com', '2026-01-02T00:00:00Z', shared)]);
    const byEmail = async () => ownedBy({ email: 'ada@shared.example' });
    await becomes(async () => (await byEmail())?.toSorted(), ['value-one.com', 'value-two.com']);
    await removed('owner');
    await becomes(byEmail, ['value-one.com']);
    expect(await ownedBy({ company: 'Only Company' })).toEqual([]);
  });

  it('are read without blocking writers, slice by slice up to the first slice with data to hand over', async () => {
    await imported('few', 'names', ['few-one.com', 'few-two.com']);
    await imported('heir', 'names', ['few-one.com', 'few-two.com']);
    const slices = ['few-one.com', 'few-two.com'].map((name) => sliceOf(domainKeyOf(name)));
    const id = await idOf('few');
    const slicesDone = async () => {
      const [row] = await corpus.database.query<{ done: number }>(
        'select handed_over_slices as done from source where id = $1',
        [id],
      );
      return row.done;
    };
    let done: Promise<void>;
    await corpus.sources.remove('few');
    await corpus.database.transaction(async (writer) => {
      await corpus.get(RegistrationsService).lockWriting(writer);
      done = corpus.get(HandOverJob).runOnce();
      await waitFor('the first name', async () => (await slicesDone()) === Math.min(...slices));
    });
    await done!;
    expect(await slicesDone()).toBe(SLICES);
    const rows = await corpus.database.query(
      `select distinct s.name from domain d join source s on s.id = d.source_id
       where d.name like 'few-%'`,
    );
    expect(rows).toEqual([{ name: 'heir' }]);
  });

  it.each([0, 1_000_000, 100_000_000])(
    'are read in ranges that cover all keys and have few names each, with %d names in total',
    (names) => {
      const ranges = Array.from({ length: SLICES }, (_, slice) =>
        rangesOfSlice(slice, names),
      ).flat();
      expect(ranges.length).toBeLessThan(2 * SLICES + names / NAMES_OF_RANGE);
      let next = BigInt(ALL_KEYS.fromKey);
      for (const [first, last] of ranges) {
        expect(BigInt(first)).toBe(next);
        const share = Number(BigInt(last) - BigInt(first)) / 2 ** 64;
        expect(share * names).toBeLessThanOrEqual(NAMES_OF_RANGE);
        next = BigInt(last) + 1n;
      }
      expect(next - 1n).toBe(BigInt(ALL_KEYS.toKey));
    },
  );

  it('are handed over from the slice at which an earlier process stopped', async () => {
    const names = ['resumed-a.com', 'resumed-b.com'].toSorted(
      (a, b) => sliceOf(domainKeyOf(a)) - sliceOf(domainKeyOf(b)),
    );
    const second = sliceOf(domainKeyOf(names[1]));
    expect(sliceOf(domainKeyOf(names[0]))).toBeLessThan(second);
    await imported('stopped', 'names', names);
    await imported('next', 'names', names);
    const id = await idOf('stopped');
    await corpus.sources.remove('stopped');
    await corpus.database.query('update source set handed_over_slices = $2 where id = $1', [
      id,
      second,
    ]);
    await corpus.get(HandOverJob).runOnce();
    const owners = await corpus.database.query(
      'select name, source_id = $2 as "isKept" from domain where name = any($1)',
      [names, id],
    );
    expect(owners).toHaveLength(2);
    expect(owners).toContainEqual({ name: names[0], isKept: true });
    expect(owners).toContainEqual({ name: names[1], isKept: false });
  });

  it('are removed if they were staged for an import that did not end', async () => {
    await imported('unfinished', 'names', ['finished.com']);
    const [{ id }] = await corpus.database.query<{ id: string }>(
      `insert into import_file (id, source_id, file, version, observed_at, state, started_at)
       values (gen_random_uuid(), $1, 'next', '1', now(), 'loading', now()) returning id`,
      [await idOf('unfinished')],
    );
    await corpus.database.transaction(async (transaction) =>
      corpus.get(FullListsService).stage(transaction, id, [fileName('staged-only.com')!]),
    );
    const lists = corpus.get(FullListsService);
    const limits: unknown[] = [];
    const clear = lists.clear.bind(lists);
    jest.spyOn(lists, 'clear').mockImplementation(async (transaction, fileId) => {
      limits.push(...(await transaction.query('show statement_timeout')));
      await clear(transaction, fileId);
    });
    await removed('unfinished');
    expect(await corpus.database.query('select name from staged_name')).toEqual([]);
    // A slice of a large zone has millions of names.
    expect(limits).toEqual([{ statement_timeout: '10min' }]);
  });
});
