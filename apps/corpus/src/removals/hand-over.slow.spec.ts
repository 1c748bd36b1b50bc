import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TYPOS, type TyposAnswer, WHOIS_REVERSE, type WhoisReverseAnswer } from '#libs/contracts';
import { CorpusUnderTest } from '#test/corpus';
import { waitFor } from '#test/environment';
import { HandOverJob } from './hand-over.job.js';

const AT = '2026-01-05T00:00:00Z';

describe('the names of a removed source', () => {
  let corpus: CorpusUnderTest;
  let folder: string;

  beforeAll(async () => {
    // Runs are the spec's own.
    corpus = await CorpusUnderTest.start({ work: 'serve' });
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
    await corpus.part(HandOverJob).runOnce();
  }
  const found = async (keyword: string) =>
    (await corpus.pagesOf<TyposAnswer>(TYPOS, { keyword }))
      .flatMap(({ domains }) => domains)
      .map(({ domain_name }) => domain_name)
      .toSorted();
  const ownedBy = async (parameters: Record<string, string>) =>
    (await corpus.answerTo<WhoisReverseAnswer>(WHOIS_REVERSE, parameters)).domains?.map(
      ({ domain_name }) => domain_name,
    );
  /** Searches know for two seconds which sources there are. */
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

  it('are shown by what other sources know of them, and those that nobody else knows are hidden', async () => {
    const names = ['listed', 'zoned', 'seen', 'recorded', 'sold'].map((what) => `kept-${what}.com`);
    await imported('first', 'names', [...names, 'kept-alone.com']);
    await imported('names', 'names', ['kept-listed.com']);
    await imported('zone', 'zone', [soa, 'kept-zoned.com.\t3600\tin\tns\tns1.example.net.']);
    await imported('seen', 'pdns', [seen]);
    await imported('rows', 'jsonl', [record('kept-recorded.com', AT, {})]);
    // Its names become its own at once, because it has more rights.
    await imported('sold', 'names', ['kept-sold.com']);
    await becomes(async () => found('kept-'), [...names, 'kept-alone.com'].toSorted());
    await removed('first');
    await becomes(async () => found('kept-'), names.toSorted());
    await removed('names');
    const left = names.filter((name) => name !== 'kept-listed.com');
    await becomes(async () => found('kept-'), left.toSorted());
  });

  it('go back to the source with fewer rights that had them before', async () => {
    await imported('fewer', 'names', ['back-again.com']);
    await corpus.recordOf({ name: 'more' }, { kind: 'listed', name: 'back-again.com', at: AT });
    await corpus.database.query(`update source set location = '/' where name = 'more'`);
    await removed('more');
    await becomes(async () => found('back-'), ['back-again.com']);
  });

  it('are found by the values that records of other sources publish, and by no others', async () => {
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
});
