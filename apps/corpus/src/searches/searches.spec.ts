import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DNS_HISTORICAL,
  DNS_REVERSE,
  type Operation,
  SUBDOMAINS,
  TYPOS,
  WHOIS_HISTORY,
  WHOIS_REVERSE,
  type WhoisHistoryAnswer,
  type WhoisReverseAnswer,
  type WhoisReverseAnswerV1,
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

  describe('reverse WHOIS', () => {
    const found = async (parameters: Record<string, string>) =>
      (await corpus.pagesOf<WhoisReverseAnswer>(WHOIS_REVERSE, parameters)).flatMap(({ domains }) =>
        domains.map(({ domain_name }) => domain_name),
      );

    it('finds exactly the names whose newest record publishes a value, page by page in a stable order', async () => {
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
      for (const exact of ['true', 'false']) {
        const asked = { owner: 'zoë äußerlich', exact };
        expect(await found({ ...asked, tld: 'net,com' })).toEqual(['reverse-one.com']);
        expect(await found({ ...asked, tld: 'one.com' })).toEqual([]);
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

    it('the cheaper mini mode has no whole records in version 1 either', async () => {
      const name = 'reverse-five.com';
      const record = { create_date: '2020-01-01', registrant_contact: { name: 'Olden Holder' } };
      await corpus.record({ kind: 'whois', name, at: day(1), record });
      const old = { owner: 'olden holder', version: '1' };
      const mini = await ask<WhoisReverseAnswerV1>(WHOIS_REVERSE, { ...old, mode: 'mini' });
      expect(mini.whois_domains_historical).toEqual([
        {
          num: 1,
          domain_name: name,
          query_time: '2024-03-01 12:00:00',
          create_date: '2020-01-01',
          name: 'Olden Holder',
        },
      ]);
      const whole = await ask<WhoisReverseAnswerV1>(WHOIS_REVERSE, old);
      expect(whole.whois_domains_historical).toMatchObject([
        { domain_name: name, registrant_contact: { name: 'Olden Holder' } },
      ]);
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
    ])('S103: a search for %s is refused with the reason', async (keyword, message) => {
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
    ])('S103: $row.name requires three consecutive letters or digits in $member', async (asked) => {
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

    it('S103: characters that are special in database patterns match only themselves', async () => {
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
    'S92: $name treats its $member as a value or rejects it, and never makes it part of a query',
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
    '$name with reversed days is rejected with the reason, even for fixtures',
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
