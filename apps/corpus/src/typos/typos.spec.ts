import { domainToASCII } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  TYPOS,
  TYPO_SCORES,
  type TypoScoresAnswer,
  TyposAnswer,
  TypoScoresAnswer as TypoScores,
} from '#libs/contracts';
import { DAY_MS, faultsOf } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';

const day = (number: number) => `2024-03-${String(number).padStart(2, '0')}T12:00:00.000Z`;
const seen = (name: string, at = day(1), record: object = { create_date: '2020-01-01' }) => ({
  kind: 'whois',
  name,
  at,
  record,
});

describe('typos', () => {
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
    await corpus.record(
      seen('brandname.com'),
      seen('brandnarne.com', day(1), {
        create_date: '2024-02-01',
        expiry_date: '2027-02-01',
        domain_registrar: { registrar_name: 'Quick Names' },
        name_servers: ['ns1.from-record.com'],
      }),
      seen('brandname.shop', day(9)),
      seen('brandname-login.com'),
      seen('xn--brandnme-66g.com', day(5)),
      seen('name.com'),
      seen('unlike-any.com'),
      seen('my-brandname-store.net'),
      {
        kind: 'dns',
        name: 'brandnarne.com',
        at: day(2),
        types: ['NS', 'MX'],
        records: [
          { type: 'NS', value: 'ns1.parking.example' },
          { type: 'MX', value: '10 mail.brandnarne.com' },
        ],
      },
      { kind: 'dns', name: 'brandname.shop', at: day(9), types: ['MX'], records: [] },
      { kind: 'host', name: 'brand.name.com', at: day(2), resolved: true },
      seen('brandnamee.com'),
      { kind: 'gone', name: 'brandnamee.com', at: day(9) },
    );
    const recent = (daysAgo: number) =>
      new Date(corpus.clock.now().getTime() - daysAgo * DAY_MS).toISOString();
    await corpus.record({ kind: 'listed', name: 'quaintshop.com', at: recent(5) });
    await corpus.recordOf(
      { name: 'zone of org' },
      { kind: 'listed', name: 'quaintshop.org', at: recent(20) },
      { kind: 'listed', name: 'quaintsh0p.org', at: recent(5) },
    );
    await corpus.database.query(
      `insert into source_batch (id, source_id, scope, is_complete, observed_at, loaded_at)
       select gen_random_uuid(), id, 'zone org', true, $1, $1 from source where name = 'zone of org'`,
      [recent(20)],
    );
  });
  afterAll(() => corpus.stop());

  async function ask(parameters: Record<string, string>): Promise<TyposAnswer> {
    const answer = await corpus.ask<TyposAnswer>(TYPOS.owner.path, parameters);
    expect(faultsOf(TyposAnswer, answer)).toEqual([]);
    return answer;
  }
  const names = async (parameters: Record<string, string>) =>
    (await ask(parameters)).domains.map(({ domain_name }) => domain_name).sort();
  const refused = async (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: { code: string }) => error.code,
    );

  it('hosts that look like an internationalised name are found', async () => {
    const host = 'xn--zrich-kva.bank.com';
    await corpus.record(
      { kind: 'listed', name: 'bank.com', at: day(1) },
      { kind: 'host', name: host, at: day(2), resolved: true },
    );
    const { domains } = await ask({ domainName: 'zürichbank.com' });
    expect(domains).toMatchObject([{ host, kind: 'subdomain', score: 80 }]);
  });

  it('hosts that only a record of another name leads to are found once they have an address', async () => {
    const [host, name] = ['bern.bank.com', 'customer-of-bank.com'];
    const records = [{ type: 'MX', value: `10 ${host}` }];
    await corpus.record({ kind: 'dns', name, at: day(1), types: ['MX'], records });
    expect(await names({ domainName: 'bernbank.com' })).toEqual([]);
    const address = { type: 'A', value: '198.19.251.1' };
    for (const records of [[], [address]]) {
      expect(await names({ domainName: 'bernbank.com' })).toEqual([]);
      const at = day(2 + records.length);
      await corpus.record({
        kind: 'dns',
        name: host,
        at,
        types: ['A'],
        records,
        registered: false,
      });
    }
    expect(await names({ domainName: 'bernbank.com' })).toEqual(['bank.com']);
  });

  it('words and suffixes may be in any script, and words also A-labels', async () => {
    const [own, mixed] = ['яндекс', 'мой-яндеkс'].map((label) => domainToASCII(`${label}.рф`));
    const marked = domainToASCII('नमो.com');
    const joined = domainToASCII('نامه\u200cای.com');
    await corpus.record(...[own, mixed, marked, joined].map((name) => seen(name)));
    expect(await names({ keyword: 'яндекс' })).toEqual([mixed, own].toSorted());
    expect(await names({ keyword: 'яндекс', tld: 'com' })).toEqual([]);
    expect(await names({ pattern: 'яндекс', tld: '.РФ' })).toEqual([own]);
    expect(await names({ keyword: own.slice(0, own.indexOf('.')) })).toContain(own);
    expect(await names({ keyword: 'नमो' })).toEqual([marked]);
    expect(await names({ pattern: 'نامه\u200cای' })).toEqual([joined]);
    expect(await names({ keyword: 'brand\u200cname' })).toContain('brandname.com');
    expect(await names({ pattern: `${own.slice(0, own.indexOf('.'))}?` })).toEqual([]);
  });

  it('registered look-alikes of a name are found, each with registrar, name servers and mail hosts', async () => {
    const answer = await ask({ domainName: 'brandname.com' });
    expect(answer.query.permutations).toBeGreaterThan(1_000);
    const by = new Map(answer.domains.map((one) => [one.domain_name, one]));
    expect([...by.keys()].sort()).toEqual([
      'brandname-login.com',
      'brandname.shop',
      'brandnarne.com',
      'name.com',
      'xn--brandnme-66g.com',
    ]);
    expect(by.get('name.com')).toMatchObject({
      kind: 'subdomain',
      host: 'brand.name.com',
      score: 80,
      reasons: ['one_letter_off'],
    });
    expect(by.get('brandnarne.com')).toMatchObject({
      kind: 'homoglyph',
      score: 100,
      reasons: ['looks_the_same', 'takes_mail'],
      registrar: 'Quick Names',
      create_date: '2024-02-01',
      expiry_date: '2027-02-01',
      name_servers: ['ns1.parking.example'],
      mx: ['mail.brandnarne.com'],
      source: 'lookups',
    });
    expect(by.get('brandname.shop')).toMatchObject({ kind: 'tld-swap', mx: [] });
    expect(by.get('brandname-login.com')).toMatchObject({ kind: 'dictionary', mx: null });
    expect(by.get('xn--brandnme-66g.com')).toMatchObject({
      kind: 'homoglyph',
      domain_unicode: 'brandnаme.com',
      reasons: ['looks_the_same'],
    });
  });

  it('words are found in labels, even when spelled with look-alike letters, and patterns match whole labels', async () => {
    expect(await names({ keyword: 'brandname' })).toEqual([
      'brandname-login.com',
      'brandname.com',
      'brandname.shop',
      'my-brandname-store.net',
      'xn--brandnme-66g.com',
    ]);
    expect(await names({ pattern: 'brandname*' })).toEqual([
      'brandname-login.com',
      'brandname.com',
      'brandname.shop',
    ]);
    expect(await names({ pattern: 'brandname' })).toEqual(['brandname.com', 'brandname.shop']);
    expect(await names({ pattern: 'brand?ame', tld: 'com' })).toEqual(['brandname.com']);
  });

  it('a search can be limited by length, suffix, first observation and the caller’s own names, and is paged', async () => {
    const keyword = 'brandname';
    expect(await names({ keyword, label_length: '10-20', tld: 'net,com' })).toEqual([
      'brandname-login.com',
      'my-brandname-store.net',
    ]);
    expect(await names({ keyword, first_seen_since: day(5) })).toEqual([
      'brandname.shop',
      'xn--brandnme-66g.com',
    ]);
    expect(await names({ keyword, tld: 'com', exclude: 'brandname.com,www.x.com' })).toEqual([
      'brandname-login.com',
      'xn--brandnme-66g.com',
    ]);
    const first = await ask({ keyword, page_size: '3' });
    expect(first.paging).toMatchObject({ total_records: 5, total_pages: 2, has_next: true });
    const next = await ask({ keyword, page_size: '3', cursor: first.paging.next_cursor! });
    const all = [...first.domains, ...next.domains].map(({ domain_name }) => domain_name);
    expect(new Set(all).size).toBe(5);
    const preview = await ask({ keyword, mode: 'preview' });
    expect(preview).toMatchObject({ domains: [], paging: { total_records: 5 } });
    expect(preview.preview).toMatchObject([{ credits_total: 5 }]);
  });

  it('a name is new because of its creation date or as an addition to a complete list of its zone, never because of a first sighting', async () => {
    const { domains } = await ask({ keyword: 'quaintsh' });
    const isNew = (name: string) =>
      domains
        .find(({ domain_name }) => domain_name === name)
        ?.reasons.includes('new_within_30_days');
    expect(['quaintshop.com', 'quaintshop.org', 'quaintsh0p.org'].map(isNew)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('servers that sensors last saw long ago do not count as current', async () => {
    const passive = (type: string, value: string, until: string) => ({
      kind: 'passive',
      name: 'oldservers.com',
      at: day(1),
      until,
      type,
      value,
    });
    const now = corpus.clock.now().toISOString();
    await corpus.record(
      passive('NS', 'ns1.long-ago.example', day(2)),
      passive('MX', '10 mx.long-ago.example', day(2)),
      passive('NS', 'ns1.today.example', now),
    );
    const { domains } = await ask({ keyword: 'oldservers' });
    expect(domains).toMatchObject([{ name_servers: ['ns1.today.example'], mx: null }]);
    expect(domains[0].reasons).not.toContain('takes_mail');
  });

  it('S103: a keyword or pattern is rejected if it has too few letters in a row, a misplaced wildcard or a suffix', async () => {
    for (const asked of [
      { keyword: 'ab' },
      { pattern: 'a*b' },
      { pattern: '*-*' },
      { pattern: 'a*b*c*d' },
      { keyword: 'brand*' },
      { pattern: 'brand.com' },
    ] as Record<string, string>[]) {
      const code = await refused(corpus.ask(TYPOS.owner.path, asked));
      expect([asked, code]).toEqual([asked, 'invalid_request']);
    }
    expect(await refused(corpus.ask(TYPOS.owner.path, { domainName: '..' }))).toBe(
      'invalid_domain_name',
    );
  });

  it('a customer’s list of names is scored against one name, and keeps its order', async () => {
    const answer = await corpus.send<TypoScoresAnswer>(TYPO_SCORES.owner.path, {
      domainName: 'brandname.com',
      domainNames: ['wikipedia.org', 'BRANDNAME.net', 'brandnarne.com', 'brandnаme.com'],
    });
    expect(faultsOf(TypoScores, answer)).toEqual([]);
    expect(answer.domains).toMatchObject([
      { domain_name: 'wikipedia.org', kind: null, score: 0 },
      { domain_name: 'brandname.net', kind: 'tld-swap', score: 70 },
      { domain_name: 'brandnarne.com', kind: 'homoglyph', score: 95 },
      { domain_name: 'xn--brandnme-66g.com', kind: 'homoglyph', score: 95 },
    ]);
    const short = await corpus.send<TypoScoresAnswer>(TYPO_SCORES.owner.path, {
      domainName: 'dhl.com',
      domainNames: ['dhl-login.com', 'my-dhl-parcels.com', 'securedhl.com', 'handhlung.com'],
    });
    expect(short.domains.map(({ score, reasons }) => [score, ...reasons])).toEqual([
      [65, 'contains_name'],
      [65, 'contains_name'],
      [65, 'contains_name'],
      [0],
    ]);
    const wrong = { domainName: 'brandname.com', domainNames: ['ok.com', '..'] };
    expect(await refused(corpus.send(TYPO_SCORES.owner.path, wrong))).toBe('invalid_request');
  });
});
