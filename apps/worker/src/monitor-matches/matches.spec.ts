import { join } from 'node:path';
import { domainToASCII, domainToUnicode } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type {
  MonitorAnswer,
  MonitorEvent,
  MonitorEventsAnswer,
  MonitorRule,
} from '#libs/contracts';
import { distanceOf } from '#libs/domain-names';
import { DAY_MS, newId } from '#libs/platform';
import { makeOwnFolder, waitFor } from '#test/environment';
import { CorpusUnderTest } from '../../../../test/corpus/corpus-under-test.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { FINDS_A_DAY_MAX } from '../monitor-news/monitor-news.js';
import { ForgetSuppressedJob } from '../monitor-news/forget-suppressed.job.js';
import { newRule } from '../monitors/monitor-rule.js';
import { BrandMatcher, soughtName } from './brand-matcher.js';
import { FollowChangesJob } from './follow-changes.job.js';
import { NearWords, slipsOf } from './near-words.js';
import { publishedValues } from './published-values.js';
import { RegistrantMatcher } from './registrant-matcher.js';

const BRAND = {
  match: 'contains',
  with_typos: true,
  include: [],
  exclude: [],
  own_domains: [],
  tlds: [],
} as const satisfies MonitorRule;

function reasonsOf(name: string, ...rules: Partial<MonitorRule>[]): Record<number, string> {
  const matcher = new BrandMatcher(rules.map((rule) => ({ ...BRAND, ...rule })));
  const hits = matcher.match(soughtName(name, domainToUnicode(name)));
  return Object.fromEntries(hits.map(({ place, reason }) => [place, reason]));
}

describe('finding words similar to a text', () => {
  it('exactly the words that a full comparison finds are found', () => {
    const letters = fc.constantFrom(...'abc');
    const word = fc.string({ unit: letters, minLength: 5, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 12 }),
        fc.array(word, { maxLength: 12 }),
        (words, texts) => {
          const near = new NearWords(words);
          for (const text of texts) {
            const wanted = words.flatMap((one, place) => {
              const distance = distanceOf(one, text);
              return distance > 0 && distance <= slipsOf(one) ? [place] : [];
            });
            expect(near.find(text).toSorted((a, b) => a - b)).toEqual(wanted);
          }
        },
      ),
      { seed: 1_107, numRuns: 300 },
    );
  });
});

describe('a brand', () => {
  it('a brand is found by its letters, by look-alike letters, and despite a typing error', () => {
    for (const [name, reason] of [
      ['examplebrand.com', 'keyword'],
      ['my-examplebrand-shop.co.uk', 'keyword'],
      ['examp1ebrand.com', 'looks_alike'],
      ['exarnplebrand.net', 'looks_alike'],
      [domainToASCII('ex\u0430mplebrand.com'), 'looks_alike'],
      ['exampelbrand.com', 'typo'],
      ['examplebran.com', 'typo'],
      ['login-examplbrand.com', 'typo'],
    ] as const) {
      expect([name, reasonsOf(name, { keyword: 'examplebrand' })]).toEqual([name, { 0: reason }]);
    }
    for (const name of ['example.com', 'brandexample.com', 'com-examplebrand.example']) {
      const found = reasonsOf(name, { keyword: 'examplebrand', tlds: ['com'] });
      expect([name, found]).toEqual([name, {}]);
    }
    expect(reasonsOf('exampelbrand.com', { keyword: 'examplebrand', with_typos: false })).toEqual(
      {},
    );
  });

  it('a brand may be given in its own script, with joiners, or as an A-label', () => {
    for (const word of ['müller', 'نامه\u200cای']) {
      const name = domainToASCII(`${word}.com`);
      for (const keyword of [word, name.slice(0, name.indexOf('.'))]) {
        const found = reasonsOf(name, newRule({ kind: 'brand', keyword }));
        expect([keyword, found]).toEqual([keyword, { 0: 'keyword' }]);
      }
    }
  });

  it('a brand is reported to each account that watches it', () => {
    const rules = Array.from({ length: 3_000 }, () => ({ keyword: 'examplebrand' }));
    for (const name of ['examplebrand.com', 'examp1ebrand.com', 'my-exampelbrand.com']) {
      expect(Object.keys(reasonsOf(name, ...rules))).toHaveLength(rules.length);
    }
  });

  it('a brand must occur where its monitor requires', () => {
    const rules = (['contains', 'prefix', 'suffix', 'exact'] as const).map((match) => ({
      keyword: 'acme',
      match,
    }));
    const placesOf = (name: string) => Object.keys(reasonsOf(name, ...rules)).join('');
    expect(placesOf('acme.com')).toBe('0123');
    expect(placesOf('acme-shop.com')).toBe('01');
    expect(placesOf('myacme.com')).toBe('02');
    expect(placesOf('myacmeshop.com')).toBe('0');
  });

  it('a brand is not found in the account’s own names, under other suffixes, or beside excluded words', () => {
    const keyword = 'acme';
    for (const [name, rule] of [
      ['acme.com', { own_domains: ['acme.com'] }],
      ['acme.com', { tlds: ['de', 'uk'] }],
      ['acme-jobs.com', { exclude: ['jobs'] }],
      ['acme-jobs.com', { include: ['login', 'jobs'] }],
    ] as [string, Partial<MonitorRule>][]) {
      const narrowed = { ...rule, keyword };
      expect([name, rule, reasonsOf(name, narrowed)]).toEqual([name, rule, {}]);
    }
    expect(reasonsOf('acme.co.uk', { keyword, tlds: ['uk'] })).toEqual({ 0: 'keyword' });
    expect(reasonsOf('acme-login.com', { keyword, include: ['login'] })).toEqual({ 0: 'keyword' });
  });
});

describe('a registrant', () => {
  const found = (record: object, ...rules: MonitorRule[]) =>
    new RegistrantMatcher(rules)
      .match('name.com', publishedValues(record as Record<string, unknown>))
      .map(({ place, reason }) => [place, reason]);
  const record = {
    registrant_contact: { name: 'Alex  SAMPLE', company: 'Example Holdings Ltd' },
    technical_contact: { email_address: 'Alex@Example.com', name: 'REDACTED FOR PRIVACY' },
  };

  it('a registrant is found by a published value of any contact, in full or in part', () => {
    expect(
      found(
        record,
        { owner: 'alex sample', exact: true },
        { company: 'example holdings', exact: true },
        { company: 'example holdings' },
        { email: '@example.com' },
        { owner: 'Alex', tlds: ['de'] },
        { owner: 'Alex', own_domains: ['name.com'] },
      ),
    ).toEqual([
      [0, 'owner'],
      [3, 'email'],
      [2, 'company'],
    ]);
  });

  it('joiners in a value make no difference, because the corpus stores none', () => {
    const published = { registrant_contact: { name: 'علیرضا' } };
    expect(found(published, { owner: 'علی\u200cرضا', exact: true })).toEqual([[0, 'owner']]);
    expect(found(published, { owner: '\u200c' }, { owner: 'علیرضا' })).toEqual([[1, 'owner']]);
  });

  it('S70: withheld values, and contacts that a privacy service replaces, are not found', () => {
    expect(found(record, { owner: 'redacted' })).toEqual([]);
    expect(found({ ...record, privacy_service: true }, { owner: 'alex' })).toEqual([]);
  });
});

describe('changes in the corpus', () => {
  const under = new WorkerUnderTest();
  let corpus: CorpusUnderTest;
  let accountId: string;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start({
      suppressionsPath: join(makeOwnFolder('suppressed'), 'suppressions.list'),
    });
    corpus.clock.set(under.clock.now());
    await under.start(undefined, { corpusUrl: corpus.url });
    await under.holdJob('follow-corpus-changes');
    await follow();
  });
  afterAll(async () => {
    await under.stop();
    await corpus?.stop();
  });
  beforeEach(() => {
    accountId = newId();
    under.entitlement.monitors.set(accountId, { domain: 9, brand: 9, registrant: 9 });
  });

  const follow = () => under.worker.app.get(FollowChangesJob, { strict: false }).runOnce();
  const call = <T>(method: 'GET' | 'POST' | 'PATCH', rest: string, body?: object) =>
    under.gateway.call<T>(method, `/internal/monitors${rest}`, { accountId, body });
  const watch = async (body: object) => (await call<MonitorAnswer>('POST', '', body)).id;
  const eventsOf = async (id: string, query = ''): Promise<MonitorEvent[]> =>
    (await call<MonitorEventsAnswer>('GET', `/${id}/events${query}`)).events;
  const untilFound = (id: string, count: number) =>
    waitFor(`${count} finds`, async () => {
      await follow();
      const events = await eventsOf(id);
      return events.length >= count ? events : undefined;
    });
  const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
  const listed = (name: string, minute = 0) => ({ kind: 'listed', name, at: at(minute) });
  const whois = (name: string, record: object, minute = 0) => ({
    kind: 'whois',
    name,
    record,
    at: at(minute),
  });

  it('a new name is reported once to every account whose brand it contains, and again if it is registered again', async () => {
    await corpus.recordOf({ name: 'zone' }, listed('before-zyxwares.com'));
    await follow();
    const id = await watch({ kind: 'brand', keyword: 'zyxwares' });
    const other = await watch({ kind: 'brand', keyword: 'zyxwares', tlds: ['org'] });
    const paused = await watch({ kind: 'brand', keyword: 'zyxwares' });
    await call('POST', `/${paused}/pause`);
    await corpus.recordOf({ name: 'hidden', isShown: false }, listed('hidden-zyxwares.com'));
    await corpus.recordOf({ name: 'zone' }, listed('zyxwares-login.com'), listed('zyxvvares.org'));
    const events = await untilFound(id, 2);
    await follow();
    expect(events.map(({ domain_name, match, state }) => [domain_name, match, state])).toEqual(
      expect.arrayContaining([
        ['zyxwares-login.com', { reason: 'keyword', value: 'zyxwares' }, 'new'],
        ['zyxvvares.org', { reason: 'looks_alike', value: 'zyxwares' }, 'new'],
      ]),
    );
    expect(await eventsOf(id)).toHaveLength(2);
    expect(await eventsOf(other)).toHaveLength(1);
    expect(await eventsOf(paused)).toEqual([]);
    await corpus.record({ kind: 'gone', name: 'zyxwares-login.com', at: at(1) });
    await corpus.record(whois('zyxwares-login.com', { create_date: '2026-11-20' }, 2));
    await untilFound(id, 3);
  });

  it('the owner of a monitor can rate its findings', async () => {
    const id = await watch({ kind: 'brand', keyword: 'qorvexa' });
    await corpus.recordOf({ name: 'zone' }, listed('qorvexa-one.com'), listed('qorvexa-two.com'));
    const [hit] = await untilFound(id, 2);
    const changed = await call('PATCH', `/${id}/events/${hit.id}`, { state: 'ignored' });
    expect(changed).toMatchObject({ id: hit.id, state: 'ignored' });
    expect(await eventsOf(id, '?state=ignored')).toHaveLength(1);
    expect(await eventsOf(id, '?state=new')).toHaveLength(1);
    const unknown = call('PATCH', `/${id}/events/${newId()}`, { state: 'ignored' });
    await expect(unknown).rejects.toMatchObject({ status: 404 });
  });

  it('S70: a registration is matched by the published values of its newest record, and each name is reported once, in the monitor’s words', async () => {
    const id = await watch({ kind: 'registrant', company: 'Vantorel Holdings', exact: true });
    const owned = { registrant_contact: { company: 'VANTOREL  Holdings' } };
    const hidden = { registrant_contact: { company: 'REDACTED FOR PRIVACY' } };
    await corpus.record(whois('vantorel-one.com', owned));
    await corpus.record(whois('vantorel-two.com', hidden));
    await corpus.record(whois('vantorel-three.com', owned), whois('vantorel-three.com', hidden, 1));
    await corpus.record(whois('vantorel-four.com', { ...owned, privacy_service: true }));
    await untilFound(id, 1);
    await corpus.record(whois('vantorel-one.com', { ...owned, name_servers: ['ns.x.com'] }, 2));
    await corpus.record(whois('vantorel-two.com', owned, 2));
    await untilFound(id, 2);
    await follow();
    const told = (await eventsOf(id)).map(({ type, domain_name, match }) => [
      type,
      domain_name,
      match,
    ]);
    const match = { reason: 'company', value: 'Vantorel Holdings' };
    expect(told.toSorted()).toEqual([
      ['registrant.match', 'vantorel-one.com', match],
      ['registrant.match', 'vantorel-two.com', match],
    ]);
  });

  it('a page with many findings is reported in several transactions', async () => {
    const ids = await Promise.all(
      Array.from({ length: 9 }, () => watch({ kind: 'brand', keyword: 'drumlock' })),
    );
    const names = Array.from({ length: 300 }, (_, n) => listed(`drumlock-${n}.com`));
    await corpus.recordOf({ name: 'zone' }, ...names);
    const parts = await waitFor('all finds', async () => {
      await follow();
      const rows = await under.database.query<{ count: number }>(
        `select count(*)::integer as count from monitor_events
         where monitor_id = any($1::uuid[]) group by xmin::text order by 1`,
        [ids],
      );
      const counts = rows.map(({ count }) => count);
      return counts.reduce((sum, count) => sum + count, 0) === 2_700 ? counts : undefined;
    });
    expect(parts).toEqual([700, 2_000]);
  });

  it('a monitor reports at most 1,000 names a day, and then reports once that there are more', async () => {
    const id = await watch({ kind: 'brand', keyword: 'plenthorn' });
    const last = await watch({ kind: 'brand', keyword: 'plenthorn-last', with_typos: false });
    const record = (...names: string[]) =>
      corpus.recordOf({ name: 'zone' }, ...names.map((name) => listed(`plenthorn-${name}.com`)));
    await record('first');
    await untilFound(id, 1);
    const counted = await under.database.query(
      'update monitor_finds set found = $2 where monitor_id = $1 and found = 1 returning found',
      [id, FINDS_A_DAY_MAX - 2],
    );
    expect(counted).toHaveLength(1);
    await record('a', 'b', 'c', 'd', 'e');
    await untilFound(id, 4);
    await record('last');
    await untilFound(last, 1);
    const types = (await eventsOf(id)).map(({ type, state }) => [type, state]);
    expect(types.toSorted()).toEqual([
      ['brand.match', 'new'],
      ['brand.match', 'new'],
      ['brand.match', 'new'],
      ['monitor.limit', undefined],
    ]);
    under.clock.advance(DAY_MS);
    corpus.clock.set(under.clock.now());
    await record('tomorrow');
    const [newest] = await untilFound(id, 5);
    expect(newest).toMatchObject({ type: 'brand.match', domain_name: 'plenthorn-tomorrow.com' });
  });

  it('several concurrent readers report each name once', async () => {
    const id = await watch({ kind: 'brand', keyword: 'mirquell' });
    const names = Array.from({ length: 40 }, (_, n) => listed(`mirquell-${n}.com`));
    await corpus.recordOf({ name: 'zone' }, ...names);
    await Promise.all([follow(), follow(), follow()]);
    await untilFound(id, 40);
    await follow();
    expect(await eventsOf(id, '?page_size=100')).toHaveLength(40);
  });

  it('once a domain is suppressed, only its findings and their deliveries are deleted', async () => {
    const body = { url: 'https://hooks.example/in', events: ['monitor.triggered'] };
    await under.gateway.call('POST', '/internal/webhooks', { accountId, body });
    const id = await watch({ kind: 'brand', keyword: 'ossivant' });
    const [gone, kept] = ['ossivant-gone.com', 'ossivant-kept.com'];
    for (const name of [gone, kept]) {
      await corpus.recordOf({ name: 'zone' }, listed(name));
      await follow();
    }
    await untilFound(id, 2);
    await corpus.operate.suppress({ kind: 'domain', value: gone });
    await under.worker.app.get(ForgetSuppressedJob, { strict: false }).runOnce();
    expect((await eventsOf(id)).map(({ domain_name }) => domain_name)).toEqual([kept]);
    const sent = await under.database.query('select body from webhook_deliveries');
    expect(JSON.stringify(sent)).toContain(kept);
    expect(JSON.stringify(sent)).not.toContain(gone);
    // The deliveries of a removed monitor stay in the log, without its events.
    await under.gateway.call('DELETE', `/internal/monitors/${id}`, { accountId });
    await corpus.operate.suppress({ kind: 'domain', value: kept });
    await under.worker.app.get(ForgetSuppressedJob, { strict: false }).runOnce();
    const left = await under.database.query('select body from webhook_deliveries');
    expect(JSON.stringify(left)).not.toContain(kept);
  });
});
