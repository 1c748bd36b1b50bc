import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '#libs/database';
import { CorpusUnderTest } from '#test/corpus';
import { permutationsOf } from '../../../../test/permutations.js';
import { LOOKUPS_SOURCE } from '../sources/source.js';
import { readObservations } from './observation-lines.js';
import { ObservationsService } from './observations.service.js';

const ALICE = { create_date: '2020-01-01', registrant_contact: { name: 'Alice Ärmel' } };
const BOB = { create_date: '2020-01-01', registrant_contact: { name: 'Bob' } };
const HIDDEN = { create_date: '2020-01-01' };

describe('observations', () => {
  let corpus: CorpusUnderTest;
  let database: Database;
  let names = 0;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
    ({ database } = corpus);
  });
  afterAll(() => corpus.stop());

  const newName = () => `name-${++names}.com`;
  const day = (number: number) => `2024-03-${String(number).padStart(2, '0')}T12:00:00.000Z`;
  const record = async (...lines: Record<string, unknown>[]) => corpus.record(...lines);
  const whois = (name: string, at: number, published: object, complete = true) => ({
    kind: 'whois',
    name,
    at: day(at),
    complete,
    record: published,
  });
  const dns = (name: string, at: number, ...addresses: string[]) => ({
    kind: 'dns',
    name,
    at: day(at),
    types: ['A'],
    records: addresses.map((value) => ({ type: 'A', value })),
  });
  /**
   * Records observations in every order, with a separate name for each order. The first observations of all names
   * arrive together, then the second ones, and so on.
   * @returns the names.
   */
  async function inEveryOrder(seen: (name: string) => Record<string, unknown>[]) {
    const arrivals = permutationsOf(seen('').length).map((order) => {
      const name = newName();
      return { name, lines: order.map((at) => seen(name)[at]) };
    });
    for (const place of seen('').keys()) {
      await record(...arrivals.map(({ lines }) => lines[place]));
    }
    return arrivals.map(({ name }) => name);
  }
  const revisions = async (name: string) =>
    database.query<{ day: number; who: string | null }>(
      `select extract(day from observed_at at time zone 'utc')::int as day, record #>> '{registrant_contact,name}' as who
       from whois_revision where name = $1 order by observed_at`,
      [name],
    );
  const tokens = async (name: string) =>
    (
      await database.query<{ folded: string }>(
        'select folded from contact_token where name = $1 order by 1',
        [name],
      )
    ).map(({ folded }) => folded);
  const spans = async (name: string) =>
    database.query(
      `select value, extract(day from first_seen at time zone 'utc')::int as first,
         extract(day from until at time zone 'utc')::int as until
       from dns_span where name = $1 order by value, first_seen`,
      [name],
    );

  it('a change creates a revision, and a repeated observation does not', async () => {
    const name = newName();
    await record(whois(name, 1, ALICE), whois(name, 2, ALICE), whois(name, 3, BOB));
    await record(whois(name, 4, BOB), whois(name, 5, ALICE));
    expect(await revisions(name)).toEqual([
      { day: 1, who: 'Alice Ärmel' },
      { day: 3, who: 'Bob' },
      { day: 5, who: 'Alice Ärmel' },
    ]);
  });

  it('values that sources write differently become the same records', async () => {
    const name = newName();
    const types = ['AAAA', 'NS', 'MX', 'SOA'];
    const seen = (at: number, ...values: string[]) => ({
      kind: 'dns',
      name,
      at: day(at),
      types,
      records: values.map((value, place) => ({ type: types[place], value })),
    });
    await record(
      seen(1, '2001:DB8:0::01', 'NS1.x.com.', '10 mx.x.com.', 'ns1.x.com. h.x.com. 7 1 1 1 1'),
      seen(2, '2001:db8::1', 'ns1.x.com', '10  mx.x.com', 'ns1.x.com h.x.com'),
    );
    expect(await spans(name)).toMatchObject([
      { value: '10 mx.x.com', first: 1, until: null },
      { value: '2001:db8::1', first: 1, until: null },
      { value: 'ns1.x.com', first: 1, until: null },
      { value: 'ns1.x.com h.x.com', first: 1, until: null },
    ]);
  });

  it('a mail server with two preferences is one record, that of the lower preference', async () => {
    const name = newName();
    const seen = (at: number, ...values: string[]) => {
      const records = values.map((value) => ({ type: value.includes('h.') ? 'SOA' : 'MX', value }));
      return { kind: 'dns', name, at: day(at), types: ['MX', 'SOA'], records };
    };
    await record(seen(1, '20 mx.x.com', '9 mx.x.com', 'ns1.x.com h.x.com', 'ns1.x.com h.y.com'));
    await record(seen(2, '9 mx.x.com', '20 mx.x.com', 'ns1.x.com h.y.com', 'ns1.x.com h.x.com'));
    expect(await spans(name)).toMatchObject([
      { value: '9 mx.x.com', first: 1, until: null },
      { value: 'ns1.x.com h.x.com', first: 1, until: null },
    ]);
  });

  it('records in a wrong format, and passive records that end before they begin, are not stored', async () => {
    const name = newName();
    const values = ['mx.x.com', 'ns1.x.com', '10 mx.x.com', 'ns1.x.com h.x.com'];
    const records = values.map((value) => ({ type: value.includes('ns1') ? 'SOA' : 'MX', value }));
    const passive = { kind: 'passive', name, type: 'A', value: '192.0.2.1', at: day(2) };
    await record({ kind: 'dns', name, at: day(1), types: ['MX', 'SOA'], records });
    const lines = [day(1), day(2)].map((until) => JSON.stringify({ ...passive, until }));
    const { observations, bad } = readObservations(lines.join('\n'));
    expect([observations.length, bad]).toEqual([1, 1]);
    expect(await spans(name)).toMatchObject([
      { value: '10 mx.x.com' },
      { value: 'ns1.x.com h.x.com' },
    ]);
  });

  it('of very many records, the same ones are stored, whatever their order', async () => {
    const name = newName();
    const addresses = Array.from({ length: 250 }, (_, place) => `192.0.2.${place}`);
    await record(dns(name, 1, ...addresses), dns(name, 2, ...addresses.toReversed()));
    const rows = await spans(name);
    expect([rows.length, new Set(rows.map((row) => JSON.stringify(row))).size]).toEqual([200, 200]);
    expect(rows).not.toContainEqual(expect.objectContaining({ first: 2 }));
  });

  it('a batch that arrives twice changes nothing', async () => {
    const name = newName();
    const batch = [whois(name, 1, ALICE), whois(name, 2, BOB), dns(name, 1, '192.0.2.1')];
    const count = async () =>
      database.query(
        `select (select count(*) from whois_revision) as revisions,
           (select count(*) from whois_confirmation) as confirmations,
           (select count(*) from contact_token) as tokens, (select count(*) from dns_span) as spans,
           (select count(*) from change_event) as changes, (select sum(names) from tld_names) as names`,
      );
    await record(...batch);
    const before = await count();
    await record(...batch);
    expect(await count()).toEqual(before);
  });

  it('revisions and search results do not depend on the order of arrival', async () => {
    const seen = (name: string) => [
      whois(name, 1, ALICE),
      whois(name, 3, ALICE),
      whois(name, 5, BOB),
      whois(name, 7, ALICE),
      whois(name, 9, HIDDEN),
    ];
    for (const name of await inEveryOrder(seen)) {
      expect(await revisions(name)).toEqual([
        { day: 1, who: 'Alice Ärmel' },
        { day: 5, who: 'Bob' },
        { day: 7, who: 'Alice Ärmel' },
        { day: 9, who: null },
      ]);
      expect(await tokens(name)).toEqual([]);
    }
  });

  it('S70: values that the newest complete record withholds cannot be found, whatever the order of arrival', async () => {
    const seen = (name: string) => [
      whois(name, 1, ALICE),
      whois(name, 2, HIDDEN),
      whois(name, 3, BOB, false),
    ];
    for (const name of await inEveryOrder(seen)) expect(await tokens(name)).toEqual([]);
  });

  it('a partial answer neither hides nor reveals any value', async () => {
    const name = newName();
    await record(whois(name, 1, ALICE));
    await record(whois(name, 2, HIDDEN, false), whois(name, 3, BOB, false));
    expect(await tokens(name)).toEqual(['alice u00e4rmel']);
  });

  it('each DNS record gets the periods in which it existed, in whatever order the observations arrive', async () => {
    const seen = (name: string) => [
      dns(name, 1, '192.0.2.1'),
      dns(name, 3, '192.0.2.1', '192.0.2.2'),
      dns(name, 5, '192.0.2.2'),
      dns(name, 7, '192.0.2.1'),
    ];
    for (const name of await inEveryOrder(seen)) {
      expect(await spans(name)).toEqual([
        { value: '192.0.2.1', first: 1, until: 5 },
        { value: '192.0.2.1', first: 7, until: null },
        { value: '192.0.2.2', first: 3, until: 7 },
      ]);
    }
  });

  it('an observation that an unknown name is not registered leaves no trace', async () => {
    const name = newName();
    await record({ kind: 'gone', name, at: day(1) });
    expect(await database.query('select from domain where name = $1', [name])).toEqual([]);
  });

  it('a name is dropped, and registered again when it is observed later', async () => {
    const name = newName();
    const state = async () =>
      database.query(
        `select dropped_at is not null as dropped, is_registered from domain d
         join contact_token t using (domain_key, name) where d.name = $1`,
        [name],
      );
    await record(whois(name, 1, ALICE));
    await record({ kind: 'gone', name, at: day(2) });
    expect(await state()).toEqual([{ dropped: true, is_registered: false }]);
    await record(whois(name, 3, ALICE));
    expect(await state()).toEqual([{ dropped: false, is_registered: true }]);
    await record({ kind: 'gone', name, at: day(2) });
    expect(await state()).toEqual([{ dropped: false, is_registered: true }]);
    // The records of a dropped name stay in caches for a while.
    await record({ kind: 'gone', name, at: day(5) });
    const passive = { kind: 'passive', name, type: 'A', value: '192.0.2.1', at: day(4) };
    await record({ ...passive, until: day(6) }, dns(name, 6, '192.0.2.1'));
    expect(await state()).toEqual([{ dropped: true, is_registered: false }]);
    await record({ ...passive, until: day(8) });
    expect(await state()).toEqual([{ dropped: false, is_registered: true }]);
  });

  it('a name is not dropped if the same batch contains a later sighting', async () => {
    const name = newName();
    const listed = (at: number) => ({ kind: 'listed', name, at: day(at) });
    const gone = (at: number) => ({ kind: 'gone', name, at: day(at) });
    const droppedOn = async () =>
      database.query(
        `select extract(day from dropped_at)::int as day from domain where name = $1`,
        [name],
      );
    await record(listed(1));
    await record(gone(2), listed(3));
    expect(await droppedOn()).toEqual([{ day: null }]);
    await record(gone(4), listed(5), gone(6));
    expect(await droppedOn()).toEqual([{ day: 6 }]);
  });

  it('values of a dropped name do not count as current, in whatever order the observations arrive', async () => {
    const seen = (name: string) => [
      { kind: 'listed', name, at: day(1) },
      whois(name, 2, ALICE),
      { kind: 'gone', name, at: day(4) },
      whois(name, 3, BOB),
    ];
    for (const name of await inEveryOrder(seen)) {
      const [kept, ...others] = await database.query(
        `select folded, dropped_at is null = is_registered as same
         from domain join contact_token using (domain_key, name) where name = $1`,
        [name],
      );
      expect([kept, others]).toMatchObject([{ folded: 'bob', same: true }, []]);
    }
  });

  it('S69: lines of any form are either read correctly or counted as bad, and change nothing else', async () => {
    const name = newName();
    const at = day(1);
    const strange = '{"toString":1,"valueOf":null}';
    const lines = [
      `{"kind":"dns","name":"${name}","at":"${at}","types":[${strange},"A"],"records":[{"type":${strange},"value":"x"},null,{"type":"A","value":"192.0.2.9"}]}`,
      `{"kind":"passive","name":"${name}","at":"${at}","until":"${at}","type":${strange},"value":"x"}`,
      `{"kind":"whois","name":"${name}","at":"${at}","record":{"__proto__":{"hacked":true},"constructor":{"prototype":{"hacked":true}},"name_servers":${strange},"registrant_contact":{"__proto__":{"hacked":true},"name":"Ann"}}}`,
      `{"kind":${strange},"name":"${name}","at":"${at}"}`,
      `{"kind":"listed","name":${strange},"at":${strange}}`,
      'null',
      '[]',
    ];
    const { observations, bad } = readObservations(lines.join('\n'));
    expect([observations.length, bad]).toEqual([2, 5]);
    await corpus.get(ObservationsService).record(observations, LOOKUPS_SOURCE);
    const [{ record: kept }] = await database.query<{ record: object }>(
      'select record from whois_revision where name = $1',
      [name],
    );
    expect(kept).toEqual({ registrant_contact: { name: 'Ann' } });
    expect(({} as { hacked?: boolean }).hacked).toBeUndefined();
  });
});
