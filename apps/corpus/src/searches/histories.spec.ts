import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DNS_HISTORICAL,
  type DnsHistoricalAnswer,
  type Operation,
  WHOIS_HISTORY,
  type WhoisHistoryAnswer,
} from '#libs/contracts';
import { CorpusUnderTest } from '#test/corpus';

const GENERATED = 600;
const SEED = 3;

describe('histories', () => {
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
    await corpus.generate(GENERATED, SEED);
  });
  afterAll(() => corpus.stop());

  const ask = async <Answer extends object>(row: Operation, parameters: Record<string, string>) =>
    corpus.answerTo<Answer>(row, parameters);
  const day = (number: number) => `2024-03-${String(number).padStart(2, '0')}T12:00:00.000Z`;

  describe('history', () => {
    it('shows the values that each record published, newest first, with the period in which the record was unchanged', async () => {
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

    it('can begin with the oldest record or change, also of different kinds of servers and for fixtures', async () => {
      const name = 'history-oldest.com';
      const seen = (at: number, protocol: string) => ({
        kind: 'whois',
        name,
        at: day(at),
        record: { expiry_date: `2030-01-0${at}` },
        answered_by: [{ role: 'registry', protocol, outcome: 'delivered' }],
      });
      await corpus.record(
        ...[1, 2, 3, 4, 5].map((at) => seen(at, at % 2 === 0 ? 'whois43' : 'rdap')),
      );
      for (const view of ['records', 'changes']) {
        for (const domainName of [name, 'registered.test']) {
          const listed = async (sort: string) => {
            const asked = { domainName, view, sort, page_size: '1' };
            const pages = await corpus.pagesOf<WhoisHistoryAnswer>(WHOIS_HISTORY, asked);
            return pages.flatMap(({ records = [], changes = [] }) => [
              ...records.map((one) => one.first_seen),
              ...changes.map((one) => `${one.changed_at} ${one.path}`),
            ]);
          };
          const newest = await listed('newest');
          expect(newest.length).toBeGreaterThan(1);
          expect(await listed('oldest')).toEqual(newest.toReversed());
        }
      }
    });

    it('includes the record that was published at the start of the requested period', async () => {
      const name = 'history-five.com';
      const seen = (at: number, create_date: string) => ({
        kind: 'whois',
        name,
        at: day(at),
        record: { create_date },
      });
      await corpus.record(seen(1, '2020-01-01'), seen(4, '2020-01-01'), seen(6, '2020-01-02'));
      const first = async (after: string) => {
        const { records } = await ask<WhoisHistoryAnswer>(WHOIS_HISTORY, {
          domainName: name,
          after,
        });
        return records!.map(({ first_seen }) => first_seen);
      };
      expect(await first('2024-03-03')).toEqual([day(6), day(1)]);
      expect(await first('2024-03-05')).toEqual([day(6)]);
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
      const oldest = await corpus.pagesOf<WhoisHistoryAnswer>(WHOIS_HISTORY, {
        domainName: name,
        ...days,
        sort: 'oldest',
      });
      expect(oldest.flatMap(({ records }) => records!.map((one) => one.first_seen))).toEqual(
        seen.toReversed(),
      );
      const old = await corpus.ask<object>(WHOIS_HISTORY.owner.path, {
        domainName: name,
        version: '1',
      });
      expect(old).toMatchObject({ whois: 'historical', total_records: '20' });
      const preview = await corpus.ask<object>(WHOIS_HISTORY.owner.path, {
        domainName: name,
        version: '1',
        mode: 'preview',
      });
      expect(preview).toEqual({
        ...old,
        whois_domains_historical: [],
        preview: [
          {
            mode: 'default',
            page_size: 50,
            total_pages: 1,
            credits_per_page: 5,
            credits_total: 5,
          },
        ],
      });
    });

    it('shows DNS as snapshots and as a timeline', async () => {
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

    it('shows all records of the moment in a DNS snapshot, and no snapshot outside the period', async () => {
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

    it('lists long texts in pages, whose cursors the API accepts', async () => {
      const texts = ['a', 'b', 'c', 'c d', 'e'].map((end) => `${'\u{1f600}"'.repeat(600)}${end}`);
      const records = texts.map((value) => ({ type: 'TXT', value }));
      const domainName = 'history-texts.com';
      await corpus.record({ kind: 'dns', name: domainName, at: day(7), types: ['TXT'], records });
      const asked = { domainName, type: 'all', view: 'timeline', page_size: '1' };
      const found = await corpus.pagesOf<DnsHistoricalAnswer>(DNS_HISTORICAL, asked);
      expect(found.map(({ timeline }) => timeline![0].text).toSorted()).toEqual(texts);
    });

    it('lists every DNS record on exactly one page, in a stable order, and counts it', async () => {
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

    it('compares the first WHOIS change with the record before the period', async () => {
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

    it('lists no change if an earlier release stored the same record with what files add to the values', async () => {
      const domainName = 'history-seven.com';
      const record = { name_servers: ['ns1.example.net'], domain_status: ['ok'] };
      const seen = (at: number) => ({ kind: 'whois', name: domainName, at: day(at), record });
      await corpus.record(seen(1));
      const older = {
        name_servers: ['ns1.example.net.'],
        domain_status: ['ok https://icann.org/epp#ok'],
      };
      await corpus.database.query(
        'update whois_revision set record = $2, state = gen_random_uuid() where name = $1',
        [domainName, JSON.stringify(older)],
      );
      await corpus.record(seen(3));
      const asked = { domainName, view: 'changes' };
      expect((await ask<WhoisHistoryAnswer>(WHOIS_HISTORY, asked)).changes).toEqual([]);
      const told = `select from change_event where name = $1 and subject = 'whois' and not is_first`;
      expect(await corpus.database.query(told, [domainName])).toEqual([]);
    });

    it('lists a change once if several members of the records show it', async () => {
      const domainName = 'history-six.com';
      const seen = (at: number, expires: string, street: string) => ({
        kind: 'whois',
        name: domainName,
        at: day(at),
        record: {
          expiry_date: expires.slice(0, 10),
          dates: { expires, expires_published: true },
          registrant_contact: { street, city: 'Oslo', mailing_address: `${street}, Oslo` },
        },
      });
      await corpus.record(
        seen(1, '2025-01-01T00:00:00Z', '1 Main St'),
        seen(3, '2026-01-01T00:00:00Z', '2 Main St'),
        seen(5, '2026-01-01T06:00:00Z', '2 Main St'),
      );
      const asked = { domainName, view: 'changes' };
      const { changes } = await ask<WhoisHistoryAnswer>(WHOIS_HISTORY, asked);
      expect(changes!.map(({ changed_at, path }) => [changed_at, path])).toEqual([
        [day(5), 'dates.expires'],
        [day(3), 'expiry_date'],
        [day(3), 'registrant_contact.street'],
      ]);
    });
  });
});
