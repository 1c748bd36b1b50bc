import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DNS_HISTORICAL,
  DNS_REVERSE,
  type DnsHistoricalAnswer,
  type Operation,
  SUBDOMAINS,
  TYPOS,
  WHOIS_HISTORY,
  WHOIS_REVERSE,
  type WhoisHistoryAnswer,
  type WhoisReverseAnswer,
} from '#libs/contracts';
import { CorpusUnderTest } from '#test/corpus';

const GENERATED = 600;
const SEED = 3;
const isFilledList = (value: unknown) => Array.isArray(value) && value.length > 0;

describe('searches', () => {
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
    await corpus.generate(GENERATED, SEED);
  });
  afterAll(() => corpus.stop());

  const ask = async <Answer extends object>(row: Operation, parameters: Record<string, string>) =>
    corpus.answerTo<Answer>(row, parameters);
  const column = async (sql: string) =>
    (await corpus.database.query<{ value: string }>(sql)).map(({ value }) => value);
  const day = (number: number) => `2024-03-${String(number).padStart(2, '0')}T12:00:00.000Z`;

  describe('history', () => {
    it('shows the values that each record published, newest first, with the period in which it was unchanged', async () => {
      const name = 'history-one.com';
      const published = { create_date: '2020-01-01', registrant_contact: { name: 'Ada' } };
      await corpus.record(
        { kind: 'whois', name, at: day(1), record: published },
        { kind: 'whois', name, at: day(4), record: published },
        { kind: 'whois', name, at: day(6), record: { create_date: '2020-01-01' } },
      );
      const answer = await ask<WhoisHistoryAnswer>(WHOIS_HISTORY, { domainName: name });
      expect(answer.records).toMatchObject([
        { num: 1, first_seen: day(6), last_seen: day(6), is_complete: true },
        { num: 2, first_seen: day(1), last_seen: day(4), registrant_contact: { name: 'Ada' } },
      ]);
      expect(answer.coverage).toMatchObject({
        has_data: true,
        sources: [{ source: 'lookups' }, { source: 'generated', is_generated: true }],
      });
      const { changes } = await ask<WhoisHistoryAnswer>(WHOIS_HISTORY, {
        domainName: name,
        view: 'changes',
      });
      expect(changes).toEqual([
        {
          changed_at: day(6),
          path: 'registrant_contact.name',
          before: 'Ada',
          after: null,
          source: 'lookups',
        },
      ]);
    });

    it('can be limited to a period, and is paged', async () => {
      const name = 'history-two.com';
      await corpus.record(
        ...Array.from({ length: 20 }, (_, place) => ({
          kind: 'whois',
          name,
          at: day(place + 1),
          record: { expiry_date: `2030-01-${String(place + 1).padStart(2, '0')}` },
        })),
      );
      const days = { after: '2024-03-05', before: '2024-03-16' };
      const pages = await corpus.pagesOf<WhoisHistoryAnswer>(WHOIS_HISTORY, {
        domainName: name,
        ...days,
      });
      expect(pages.length).toBe(2);
      const seen = pages.flatMap(({ records }) => records!.map((one) => one.first_seen));
      expect(seen).toEqual(Array.from({ length: 11 }, (_, place) => day(15 - place)));
      const old = await corpus.ask<object>(WHOIS_HISTORY.owner.path, {
        domainName: name,
        version: '1',
      });
      expect(old).toMatchObject({ whois: 'historical', total_records: '20' });
    });

    it('of DNS is shown as snapshots and as a timeline', async () => {
      const name = 'history-three.com';
      const seen = (at: number, ...addresses: string[]) => ({
        kind: 'dns',
        name,
        at: day(at),
        types: ['A', 'MX'],
        records: [
          ...addresses.map((value) => ({ type: 'A', value })),
          { type: 'MX', value: '10 mail.history-three.com' },
        ],
      });
      await corpus.record(seen(1, '198.18.0.1'), seen(3, '198.18.0.2'), seen(5, '198.18.0.2'));
      const asked = { domainName: name, type: 'A' };
      const { snapshots } = await ask<DnsHistoricalAnswer>(DNS_HISTORICAL, asked);
      expect(snapshots).toMatchObject([
        { seen_at: day(3), dns_types: { A: 1 }, dns_records: [{ address: '198.18.0.2' }] },
        { seen_at: day(1), dns_types: { A: 1 }, dns_records: [{ address: '198.18.0.1' }] },
      ]);
      const { timeline } = await ask<DnsHistoricalAnswer>(DNS_HISTORICAL, {
        ...asked,
        type: 'all',
        view: 'timeline',
      });
      expect(timeline).toMatchObject([
        { address: '198.18.0.2', first_seen: day(3), last_seen: day(5), ended_at: null },
        { address: '198.18.0.1', first_seen: day(1), last_seen: day(1), ended_at: day(3) },
        { priority: 10, exchange: 'mail.history-three.com', last_seen: day(5) },
      ]);
    });
  });

  describe('history within a period', () => {
    const name = 'history-four.com';
    const address = (at: number, ...values: string[]) => ({
      kind: 'dns',
      name,
      at: day(at),
      types: ['A'],
      records: values.map((value) => ({ type: 'A', value })),
    });

    it('of DNS: a snapshot has all records of its time, and none is of a time outside', async () => {
      await corpus.record(
        { kind: 'dns', name, at: day(1), types: ['NS'], records: [{ type: 'NS', value: 'ns1.x' }] },
        address(1, '198.18.0.1'),
        address(3, '198.18.0.2'),
        address(5, '198.18.0.3'),
      );
      const asked = { domainName: name, after: '2024-03-03', before: '2024-03-05' };
      const { snapshots } = await ask<DnsHistoricalAnswer>(DNS_HISTORICAL, asked);
      expect(snapshots).toMatchObject([
        { seen_at: day(3), dns_records: [{ address: '198.18.0.2' }, { target: 'ns1.x' }] },
      ]);
    });

    it('of DNS: every record is on one page, in one order, and counted', async () => {
      const listed = Array.from({ length: 25 }, (_, place) => `198.18.2.${place}`);
      await corpus.record(address(7, ...listed), address(8, '198.18.3.1'), address(9, ...listed), {
        kind: 'passive',
        name,
        at: day(7),
        until: day(8),
        type: 'A',
        value: listed[0],
      });
      const asked = { domainName: name, type: 'A', after: '2024-03-07' };
      const timeline = await corpus.pagesOf<DnsHistoricalAnswer>(DNS_HISTORICAL, {
        ...asked,
        view: 'timeline',
      });
      const rows = timeline.flatMap((page) => page.timeline!);
      expect(rows.length).toBe(53);
      expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(53);
      expect(timeline[0].paging).toMatchObject({ total_records: 53, total_is: 'exact' });
      expect(rows.map((row) => row.first_seen)).toEqual(
        rows.map((row) => row.first_seen).toSorted((a, b) => (a < b ? 1 : -1)),
      );
      const snapshots = await corpus.pagesOf<DnsHistoricalAnswer>(DNS_HISTORICAL, asked);
      expect(
        snapshots.flatMap((page) =>
          page.snapshots!.map((one) => [one.seen_at, one.dns_records.length]),
        ),
      ).toEqual([
        [day(9), 25],
        [day(8), 1],
        [day(7), 25],
      ]);
    });

    it('of WHOIS: the first change is from the record before it', async () => {
      const whois = (at: number, update_date: string) => ({
        kind: 'whois',
        name,
        at: day(at),
        record: { create_date: '2020-01-01', update_date },
      });
      await corpus.record(whois(1, '2023-01-01'), whois(3, '2024-01-01'), whois(5, '2024-02-01'));
      const asked = {
        domainName: name,
        view: 'changes',
        after: '2024-03-03',
        before: '2024-03-05',
      };
      const { changes } = await ask<WhoisHistoryAnswer>(WHOIS_HISTORY, asked);
      expect(changes).toMatchObject([
        { changed_at: day(3), path: 'update_date', before: '2023-01-01', after: '2024-01-01' },
      ]);
    });
  });

  describe('reverse WHOIS', () => {
    const found = async (parameters: Record<string, string>) =>
      (await corpus.pagesOf<WhoisReverseAnswer>(WHOIS_REVERSE, parameters)).flatMap(({ domains }) =>
        domains.map(({ domain_name }) => domain_name),
      );

    it('finds exactly the names whose newest record publishes a value, page by page in one order', async () => {
      const [{ folded, value }] = await corpus.database.query<{ folded: string; value: string }>(
        `select folded, count(*)::text as value from contact_token where kind = 2
         group by folded order by count(*) desc, folded limit 1`,
      );
      const names = await found({ email: folded, exact: 'true' });
      expect(names.length).toBe(Number(value));
      expect(names).toEqual(
        await column(
          `select name as value from contact_token where folded = '${folded}' and is_registered
           order by domain_key, name`,
        ),
      );
    });

    it('finds values by a part and with wildcards, in any script and case', async () => {
      await corpus.record({
        kind: 'whois',
        name: 'reverse-one.com',
        at: day(1),
        record: { registrant_contact: { name: 'Zoë Äußerlich', company: '東京商事' } },
      });
      for (const asked of [
        { owner: 'äUSSERlich'.replace('SS', 'ß') },
        { owner: 'zoë *lich' },
        { company: '東京' },
        { keyword: 'Äußer' },
      ] as Record<string, string>[]) {
        expect([asked, await found(asked)]).toEqual([asked, ['reverse-one.com']]);
      }
      expect(await found({ owner: '*rlichx' })).toEqual([]);
      expect(await found({ owner: 'äußerlich', exact: 'true' })).toEqual([]);
    });

    it('S70: a value that the newest record withholds is neither found nor counted by any search, including historic ones', async () => {
      const name = 'reverse-two.com';
      const record = {
        registrant_contact: { name: 'Ida Person', email_address: 'hp@x.example' },
      };
      await corpus.record({ kind: 'whois', name, at: day(1), record });
      expect(await found({ owner: 'ida person' })).toEqual([name]);
      await corpus.record({ kind: 'whois', name, at: day(2), record: {} });
      for (const scope of ['current', 'historic']) {
        for (const exact of ['true', 'false']) {
          for (const [selector, value] of [
            ['owner', 'Ida Person'],
            ['email', 'hp@x.example'],
          ]) {
            const parameters = { [selector]: value, scope, exact };
            expect(await found(parameters)).toEqual([]);
            const preview = await ask<WhoisReverseAnswer>(WHOIS_REVERSE, {
              ...parameters,
              mode: 'preview',
            });
            expect(preview.paging.total_records).toBe(0);
          }
        }
      }
      const history = await ask<WhoisHistoryAnswer>(WHOIS_HISTORY, { domainName: name });
      expect(history.records).toHaveLength(2);
    });

    it('finds unregistered names only in the historic scope', async () => {
      const name = 'reverse-three.com';
      const record = { registrant_contact: { name: 'Former Holder' } };
      await corpus.record({ kind: 'whois', name, at: day(1), record });
      await corpus.record({ kind: 'gone', name, at: day(2) });
      expect(await found({ owner: 'former holder' })).toEqual([]);
      expect(await found({ owner: 'former holder', scope: 'historic' })).toEqual([name]);
    });

    it('shows dates and registrant in mini mode, and complete records otherwise', async () => {
      const name = 'reverse-four.com';
      const record = {
        create_date: '2020-01-01',
        registrant_contact: { name: 'Mini Holder', email_address: 'mini@x.example' },
      };
      await corpus.record({ kind: 'whois', name, at: day(1), record });
      const mini = await ask<WhoisReverseAnswer>(WHOIS_REVERSE, {
        owner: 'mini holder',
        mode: 'mini',
      });
      expect(mini.domains).toMatchObject([
        { domain_name: name, create_date: '2020-01-01', name: 'Mini Holder' },
      ]);
      const whole = await ask<WhoisReverseAnswer>(WHOIS_REVERSE, { owner: 'mini holder' });
      expect(whole.domains).toMatchObject([{ registrant_contact: { name: 'Mini Holder' } }]);
    });

    it.each([
      ['ab', 'must contain three letters or digits in a row'],
      ['a*b*c*d', 'must not contain more than 2 "*"'],
      ['a-b-c', 'must contain three letters or digits in a row'],
      ['%%%', 'must contain three letters or digits in a row'],
      ['(a|b)+$', 'must contain three letters or digits in a row'],
      ['ё', 'must contain three letters or digits in a row'],
      ['®', 'must contain three letters or digits in a row'],
      ['я*е', 'must contain three letters or digits in a row'],
      ['王', 'must contain three letters or digits in a row'],
    ])('S103: %s is refused with the reason', async (keyword, message) => {
      expect(await corpus.refusalOf(WHOIS_REVERSE, { keyword })).toMatchObject({
        code: 'invalid_request',
        errors: [{ message }],
      });
    });

    it.each([
      { row: WHOIS_REVERSE, member: 'owner' },
      { row: WHOIS_REVERSE, member: 'email' },
      { row: WHOIS_REVERSE, member: 'company' },
      { row: DNS_REVERSE, member: 'value', others: { type: 'TXT' } },
      { row: TYPOS, member: 'keyword' },
      { row: TYPOS, member: 'pattern' },
    ])('S103: $row.name needs three letters or digits in a row of its $member', async (asked) => {
      const { row, member, others } = { others: {}, ...asked };
      for (const text of ['*ab*', 'a*b', '*-_-*']) {
        const refusal = await corpus.refusalOf(row, { ...others, [member]: text });
        expect([text, refusal]).toMatchObject([
          text,
          { code: 'invalid_request', errors: [{ field: member }] },
        ]);
      }
    });

    it('S66, S67: markup and quotation marks in a record are part of the value; bidirectional marks are omitted', async () => {
      const name = '</script><img src=x onerror=alert(1)>","status":false,"a":"';
      const contact = { name, company: '=cmd|"/c calc"!A1' };
      const record = { registrant_contact: contact };
      const sent = { registrant_contact: { ...contact, name: `\u202e${name}\u2066` } };
      await corpus.record({ kind: 'whois', name: 'hostile-text.com', at: day(1), record: sent });
      const asked = { domainName: 'hostile-text.com' };
      const { records } = await ask<WhoisHistoryAnswer>(WHOIS_HISTORY, asked);
      expect(records).toMatchObject([record]);
      const { status, domains } = await ask<WhoisReverseAnswer>(WHOIS_REVERSE, {
        keyword: 'onerror=alert',
      });
      expect({ status, domains }).toMatchObject({ status: true, domains: [record] });
    });

    it('finds words of three letters in any script, and of two characters in Chinese', async () => {
      const record = { registrant_contact: { name: '王伟', company: 'Ёлка' } };
      await corpus.record({ kind: 'whois', name: 'reverse-five.com', at: day(1), record });
      for (const keyword of ['王伟', 'ёлк', '*лка']) {
        expect(await found({ keyword })).toEqual(['reverse-five.com']);
      }
    });

    it('S103: characters that are special in database patterns are searched for literally', async () => {
      expect(await found({ keyword: 'mail_' })).toEqual([]);
      expect(await found({ keyword: 'mai%' })).toEqual([]);
      expect(await found({ keyword: 'mail\\' })).toEqual([]);
    });
  });

  const HOSTILE = ["mail' or '1'='1", "x'; drop table domain; --", 'abc) or (true', '{"$ne":""}'];
  const SELECTORS: readonly (readonly [Operation, string, Record<string, string>])[] = [
    ...['owner', 'email', 'company', 'keyword'].map((one) => [WHOIS_REVERSE, one, {}] as const),
    ...['keyword', 'pattern', 'domainName'].map((one) => [TYPOS, one, {}] as const),
    [DNS_REVERSE, 'value', { type: 'TXT' }],
    [DNS_REVERSE, 'type', { value: '198.18.1.1' }],
    [WHOIS_REVERSE, 'scope', { keyword: 'mail' }],
    [WHOIS_REVERSE, 'mode', { keyword: 'mail' }],
    [WHOIS_REVERSE, 'cursor', { keyword: 'mail' }],
    [SUBDOMAINS, 'domainName', {}],
    [WHOIS_HISTORY, 'after', { domainName: 'history-one.com' }],
  ];
  it.each(SELECTORS.map(([row, member, others]) => ({ row, name: row.name, member, others })))(
    'S92: $name treats its $member as a value or refuses it, but never as a part of a query',
    async ({ row, member, others }) => {
      const names = async () => column('select name as value from domain order by 1');
      const before = await names();
      for (const text of HOSTILE) {
        const parameters = { ...others, [member]: text };
        const answer = await ask<{ domains?: unknown[] }>(row, parameters).catch(
          (error: { status: number }) => ({ refused: error.status }),
        );
        if ('refused' in answer) expect([text, answer.refused]).toEqual([text, 400]);
        else expect([text, Object.values(answer).filter(isFilledList)]).toEqual([text, []]);
      }
      expect(await names()).toEqual(before);
      expect(before.length).toBeGreaterThan(0);
    },
  );

  it.each([WHOIS_HISTORY, DNS_HISTORICAL, SUBDOMAINS])(
    '$name with reversed days is rejected with the reason, fixtures included',
    async (row) => {
      for (const domainName of ['registered.test', 'history-one.com']) {
        const days = { after: '2024-03-05', before: '2024-03-04' };
        expect(await corpus.refusalOf(row, { domainName, ...days })).toMatchObject({
          code: 'invalid_request',
          errors: [{ field: 'before', message: 'must not be earlier than "after"' }],
        });
        const oneDay = { after: '2024-03-05', before: '2024-03-05' };
        expect(await corpus.refusalOf(row, { domainName, ...oneDay })).toBeUndefined();
      }
    },
  );

  it.each(
    [WHOIS_HISTORY, DNS_HISTORICAL, WHOIS_REVERSE, DNS_REVERSE, SUBDOMAINS].flatMap((row) =>
      row.examples.map(({ parameters }) => [row.name, row as Operation, parameters] as const),
    ),
  )('%s answers its example and a preview of it', async (_name, row, parameters) => {
    await ask(row, parameters);
    const preview = await ask<WhoisReverseAnswer>(row, { ...parameters, mode: 'preview' });
    expect(preview.preview!.length).toBe(Object.keys(row.paged!.modes).length);
  });
});
