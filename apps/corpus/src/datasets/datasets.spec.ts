import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type DatasetAsked,
  type DatasetRow,
  type FreshAnswer,
  type FreshestAsked,
  keyRanges,
} from '#libs/contracts';
import { DAY_MS, SECOND_MS } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';
import { awayFromMidnight } from '#test/environment';

await awayFromMidnight();

const NAMES = 1_300;
const SOLD = { name: 'zone' };
const HELD = {
  registrant_contact: {
    name: 'Ada',
    email_address: 'Ada@Example.COM',
    phone: '+1.555-0100-200',
    fax: 'n/a',
    country_code: 'de',
  },
};

describe('datasets', () => {
  let corpus: CorpusUnderTest;
  const signal = new AbortController().signal;
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const today = () => new Date().toISOString().slice(0, 10);
  const whois = (name: string, at: string, record: object) => ({ kind: 'whois', name, at, record });

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
    const listed = Array.from({ length: NAMES }, (_, place) => ({
      kind: 'listed',
      name: `sold-${place}.com`,
      at: ago(1),
    }));
    await corpus.recordOf(SOLD, ...listed);
  });
  afterAll(() => corpus.stop());

  /**
   * Removes the recorded changes to a name, as the service does after 100 days; the name then no longer counts as first
   * observed today.
   */
  const isKnownForLong = async (name: string) =>
    corpus.database.query('delete from change_event where name = $1', [name]);

  async function read(asked: DatasetAsked) {
    const rows: DatasetRow[] = [];
    const lines = corpus.feed.rows(asked, { signal });
    for (;;) {
      const next = await lines.next();
      if (next.done) return { rows, end: next.value };
      rows.push(next.value);
    }
  }
  const rowOf = async (name: string, asked: DatasetAsked) =>
    (await read(asked)).rows.find((row) => row.name === name);

  it('are read as a whole, or in key ranges without overlaps or gaps', async () => {
    const { rows, end } = await read({ dataset: 'names' });
    expect(end).toEqual({ isLast: true, rows: NAMES, suppressionVersion: 0 });
    const keys = rows.map(({ key }) => BigInt(key));
    expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : 1)));
    const parts = [];
    for (const range of keyRanges(5)) parts.push(await read({ dataset: 'names', ...range }));
    expect(parts.every(({ rows: part }) => part.length > 0)).toBe(true);
    expect(parts.flatMap(({ rows: part }) => part)).toEqual(rows);
  });

  it('contain data from sources whose data may be sold, never data from our own lookups', async () => {
    await corpus.record(whois('own.com', ago(1), HELD), whois('sold-1.com', ago(1), HELD));
    await corpus.recordOf(SOLD, whois('sold-2.com', ago(1), HELD));
    const names = async (asked: DatasetAsked) => (await read(asked)).rows.map(({ name }) => name);
    expect(await names({ dataset: 'names' })).not.toContain('own.com');
    expect(await names({ dataset: 'newly', day: today() })).not.toContain('own.com');
    expect(await names({ dataset: 'whois' })).toEqual(['sold-2.com']);
    expect(await names({ dataset: 'newly_whois', day: today() })).toEqual(['sold-2.com']);
    // A source may be sold although it is not shown. Our own lookup keeps the name, because it is shown.
    const listed = { kind: 'listed', name: 'own.com', at: ago(0.5) };
    await corpus.recordOf({ name: 'only sold', isShown: false }, listed);
    expect(await names({ dataset: 'names' })).toContain('own.com');
  });

  it('contain the observations of a source, even if our own lookup observed the same before', async () => {
    await corpus.record(whois('sold-3.com', ago(3), HELD));
    await corpus.recordOf(SOLD, whois('sold-3.com', ago(2), HELD));
    const row = await rowOf('sold-3.com', { dataset: 'whois' });
    expect(row?.record).toEqual(HELD);
    expect(row?.observedAt).toBe(
      (
        await corpus.database.query<{ at: Date }>(
          'select max(observed_at) as at from whois_confirmation',
        )
      )[0].at.toISOString(),
    );
  });

  it('S70: datasets omit personal data that the newest record of any source withholds', async () => {
    await corpus.recordOf(
      SOLD,
      whois('sold-4.com', ago(3), { create_date: '2024-01-01', ...HELD }),
    );
    await corpus.record(whois('sold-4.com', ago(2), { create_date: '2024-01-01' }));
    const row = await rowOf('sold-4.com', { dataset: 'whois' });
    expect(row?.record).toEqual({ create_date: '2024-01-01' });
  });

  it('contain reachable contacts in a uniform format if the dataset is cleaned', async () => {
    await corpus.recordOf(
      SOLD,
      whois('sold-5.com', ago(1), { create_date: '2024-01-01' }),
      whois('sold-6.com', ago(1), { registrant_contact: { name: 'REDACTED FOR PRIVACY' } }),
      whois('sold-7.com', ago(1), { ...HELD, privacy_service: true }),
    );
    const { rows } = await read({ dataset: 'whois_cleaned' });
    expect(rows.map(({ name }) => name).toSorted()).toEqual(['sold-2.com', 'sold-3.com']);
    expect(rows[0].record).toEqual({
      registrant_contact: {
        name: 'Ada',
        email_address: 'ada@example.com',
        phone: '+15550100200',
        country_code: 'DE',
      },
    });
  });

  it('do not count a name as new merely because it was seen for the first time', async () => {
    const created = (daysAgo: number) => ({ create_date: ago(daysAgo).slice(0, 10) });
    for (const kind of ['pdns', 'ct', 'whois_csv']) {
      const own = kind.slice(0, 2);
      const source = { name: `all ${kind}`, kind };
      await corpus.recordOf(source, { kind: 'listed', name: `seen-${own}.com`, at: ago(0.5) });
      await corpus.recordOf(source, whois(`young-${own}.com`, ago(0.5), created(3)));
      await corpus.recordOf(source, whois(`old-${own}.com`, ago(0.5), created(300)));
    }
    const { rows } = await read({ dataset: 'newly', day: today() });
    const found = rows.map(({ name }) => name).filter((name) => !name.startsWith('sold-'));
    expect(found.toSorted()).toEqual(['young-ct.com', 'young-pd.com', 'young-wh.com']);
  });

  it('contain the names that were new, changed or dropped on a day', async () => {
    const dns = (at: string, value: string) => ({
      kind: 'dns',
      name: 'sold-8.com',
      at,
      types: ['A', 'NS'],
      records: [{ type: 'A', value }],
    });
    await corpus.recordOf(SOLD, dns(ago(0.9), '192.0.2.1'));
    await corpus.recordOf(SOLD, dns(ago(0.5), '192.0.2.2'));
    await corpus.recordOf(SOLD, whois('sold-9.com', ago(0.9), { create_date: '1999-01-01' }));
    await corpus.recordOf(SOLD, whois('sold-9.com', ago(0.5), { create_date: '1999-01-02' }));
    await isKnownForLong('sold-10.com');
    await corpus.recordOf(SOLD, { kind: 'gone', name: 'sold-10.com', at: ago(0.4) });
    const day = today();
    const newly = await read({ dataset: 'newly', day });
    // Four names are missing: three were registered long ago, and one has been dropped.
    const listed = newly.rows.filter(({ name }) => name.startsWith('sold-'));
    expect(listed.length).toBe(NAMES - 4);
    expect((await read({ dataset: 'newly', day: '2024-01-01' })).rows).toEqual([]);
    expect(await rowOf('sold-8.com', { dataset: 'updated_dns', day })).toMatchObject({
      records: [{ type: 'A', value: '192.0.2.2' }],
    });
    expect((await read({ dataset: 'newly_dns', day })).rows.map(({ name }) => name)).toEqual([
      'sold-8.com',
    ]);
    expect((await read({ dataset: 'updated_whois', day })).rows).toMatchObject([
      { name: 'sold-9.com', record: { create_date: '1999-01-02' } },
    ]);
    expect((await read({ dataset: 'dropped', day })).rows).toMatchObject([{ name: 'sold-10.com' }]);
    expect(await rowOf('sold-10.com', { dataset: 'names' })).toBeUndefined();
  });

  it('contain a new name even if our own lookup saw it first, and report it to monitors only once', async () => {
    const listed = (name: string, at = ago(0.1)) => ({ kind: 'listed', name, at });
    const record = { create_date: ago(2).slice(0, 10) };
    await corpus.recordOf(SOLD, listed('looked-up-again.com', ago(400)));
    await corpus.record({ kind: 'gone', name: 'looked-up-again.com', at: ago(50) });
    await isKnownForLong('looked-up-again.com');
    const { cursor } = await corpus.feed.changes();
    const names = ['looked-up.com', 'looked-up-again.com'];
    await corpus.record(...names.map((name) => whois(name, ago(0.5), record)));
    await corpus.record(listed('looked-up-long-ago.com', ago(40)));
    for (let times = 0; times < 2; times += 1) {
      const all = [...names, 'looked-up-long-ago.com'].map((name) => listed(name));
      await corpus.recordOf(SOLD, ...all);
    }
    const { rows } = await read({ dataset: 'newly', day: today() });
    const found = rows.map(({ name }) => name).filter((name) => name.startsWith('looked-up'));
    expect(found.toSorted()).toEqual(names.toSorted());
    const { changes } = await corpus.feed.changes({ cursor });
    const told = changes.filter(({ name, kind }) => kind === 'new' && found.includes(name));
    expect(told.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it('contain a name that is registered again, even if only the record of its earlier registration is known', async () => {
    const seen = (name: string, expiry_date: string) => [
      { kind: 'listed', name, at: ago(400) },
      whois(name, ago(390), { create_date: '2015-03-01', expiry_date }),
      { kind: 'gone', name, at: ago(50) },
    ];
    const lines = [
      ...seen('caught.com', ago(90).slice(0, 10)),
      ...seen('paused.com', '2199-03-01'),
    ];
    await corpus.recordOf(SOLD, ...lines);
    const again = ['caught.com', 'paused.com'].map((name) => ({
      kind: 'listed',
      name,
      at: ago(0.1),
    }));
    await corpus.recordOf(SOLD, ...again);
    const asked = { day: today() } as const;
    expect(await rowOf('caught.com', { dataset: 'newly', ...asked })).toBeDefined();
    expect(await rowOf('paused.com', { dataset: 'newly', ...asked })).toBeUndefined();
    expect(await rowOf('caught.com', { dataset: 'newly_whois', ...asked })).toBeUndefined();
  });

  it('call a name dropped only if it was registered before that day', async () => {
    const listed = (name: string, at: string) => ({ kind: 'listed', name, at });
    const gone = (name: string, at: string) => ({ kind: 'gone', name, at });
    const dropped = async () =>
      (await read({ dataset: 'dropped', day: today() })).rows.map(({ name }) => name);
    const before = await dropped();
    // The whole history of one name arrives in one batch, that of the other in two.
    await corpus.recordOf(SOLD, listed('brief.com', ago(5)), gone('brief.com', ago(3)));
    await corpus.recordOf(SOLD, listed('heard-of.com', ago(400)));
    await corpus.recordOf(SOLD, gone('heard-of.com', ago(2)));
    expect(await dropped()).toEqual(before);
    // The name is dropped, registered again and dropped again.
    await corpus.recordOf(SOLD, listed('sold-11.com', ago(5)));
    await isKnownForLong('sold-11.com');
    await corpus.recordOf(SOLD, gone('sold-11.com', ago(3)));
    await corpus.recordOf(SOLD, listed('sold-11.com', ago(2)));
    expect(await dropped()).toEqual(before);
    await corpus.recordOf(SOLD, gone('sold-11.com', ago(1)));
    expect((await dropped()).toSorted()).toEqual([...before, 'sold-11.com'].toSorted());
  });

  it('contain the first records of new names on the day on which those records became known', async () => {
    const name = 'asked-late.com';
    await corpus.recordOf(SOLD, { kind: 'listed', name, at: ago(1.5) });
    await corpus.database.query(
      `update change_event set id = least_id(clock_timestamp() - interval '1 day') where name = $1`,
      [name],
    );
    const a = { type: 'A', value: '192.0.2.9' };
    const record = { create_date: ago(2).slice(0, 10) };
    const known = whois('known-for-long.com', ago(0.5), record);
    await corpus.recordOf(SOLD, { kind: 'listed', name: known.name, at: ago(90) });
    await isKnownForLong(known.name);
    await corpus.recordOf(SOLD, whois(name, ago(0.1), record), known, {
      kind: 'dns',
      name,
      at: ago(0.1),
      types: ['A'],
      records: [a],
    });
    const day = today();
    const namesOf = async (dataset: DatasetAsked['dataset']) =>
      (await read({ dataset, day })).rows.map((row) => row.name);
    for (const dataset of ['newly_whois', 'newly_dns'] as const) {
      const found = await namesOf(dataset);
      expect([dataset, found.includes(name), found.includes(known.name)]).toEqual([
        dataset,
        true,
        false,
      ]);
    }
    for (const dataset of ['newly', 'updated_whois', 'updated_dns'] as const) {
      expect(await namesOf(dataset)).not.toContain(name);
    }
  });

  it('include a name whose last records are gone', async () => {
    const dns = (at: string, ...values: string[]) => ({
      kind: 'dns',
      name: 'sold-12.com',
      at,
      types: ['A'],
      records: values.map((value) => ({ type: 'A', value })),
    });
    await corpus.recordOf(SOLD, dns(ago(0.9), '192.0.2.1'));
    await corpus.recordOf(SOLD, dns(ago(0.5)));
    const row = await rowOf('sold-12.com', { dataset: 'updated_dns', day: today() });
    expect(row?.records).toEqual([]);
    expect(await rowOf('sold-12.com', { dataset: 'dns' })).toBeUndefined();
    const last = dns(ago(0.2), '192.0.2.2');
    await corpus.recordOf(SOLD, dns(ago(0.4), '192.0.2.2'), last);
    expect(await rowOf('sold-12.com', { dataset: 'dns' })).toMatchObject({ observedAt: last.at });
  });

  it('contain the answers of our own lookups if the operator allows it', async () => {
    await corpus.record(whois('own-answer.com', ago(1), HELD));
    const own = async () => rowOf('own-answer.com', { dataset: 'whois' });
    expect(await own()).toBeUndefined();
    await corpus.sources.set('lookups', { isSold: true });
    expect((await own())?.record).toEqual(HELD);
    await corpus.sources.set('lookups', { isSold: false });
    expect(await own()).toBeUndefined();
    const refused = { errors: [{ field: 'isSold', message: expect.stringContaining('lookups') }] };
    for (const name of ['zone', 'nowhere']) {
      await expect(corpus.sources.set(name, { isSold: true })).rejects.toMatchObject(refused);
    }
  });

  it('reject a day that does not exist, a missing day, and a day for a dataset that has none', async () => {
    const refused = { status: 400, code: 'invalid_request' };
    await expect(read({ dataset: 'names', day: '2024-01-01' })).rejects.toMatchObject(refused);
    await expect(read({ dataset: 'newly' })).rejects.toMatchObject(refused);
    await expect(read({ dataset: 'newly', day: '2024-02-31' })).rejects.toMatchObject(refused);
  });

  it('end when the reader disconnects', async () => {
    const { end: before } = await read({ dataset: 'names' });
    const gone = new AbortController();
    const lines = corpus.feed.rows({ dataset: 'names' }, { signal: gone.signal });
    await lines.next();
    gone.abort();
    await expect(
      (async () => {
        for (;;) if ((await lines.next()).done) return;
      })(),
    ).rejects.toMatchObject({ code: 'service_unavailable' });
    expect((await read({ dataset: 'names' })).end).toEqual(before);
  });

  describe('the most recent answers', () => {
    const before = (seconds: number) =>
      new Date(corpus.clock.now().getTime() - seconds * SECOND_MS).toISOString();
    const fresh = async (asked: FreshestAsked) => {
      const answers: FreshAnswer[] = [];
      for await (const answer of corpus.feed.freshest(asked, { signal })) answers.push(answer);
      return answers;
    };

    it('are the newest records of registered names, no older than requested', async () => {
      await corpus.record(
        whois('fresh.com', before(500), HELD),
        whois('fresh.com', before(50), HELD),
        whois('stale.com', before(500), HELD),
        whois('dropped.com', before(50), HELD),
        { kind: 'gone', name: 'dropped.com', at: before(20) },
      );
      const names = ['nothing.com', 'stale.com', 'dropped.com', 'FRESH.com', 'not a name'];
      expect(await fresh({ kind: 'whois', names, maxAgeSeconds: 100 })).toEqual([
        { index: 3, name: 'fresh.com', sourceId: 1, observedAt: before(50), record: HELD },
      ]);
    });

    it('are complete for DNS only if all requested types are recent', async () => {
      const dns = (at: string, types: string[], records: object[]) => ({
        kind: 'dns',
        name: 'fresh-dns.com',
        at,
        types,
        records,
      });
      const a = { type: 'A', value: '192.0.2.1' };
      await corpus.record(dns(before(500), ['A', 'MX'], [a, { type: 'MX', value: '10 m.com' }]));
      await corpus.record(dns(before(50), ['A', 'NS'], [a]));
      const ask = async (...types: ('A' | 'NS' | 'MX')[]) =>
        fresh({ kind: 'dns', names: ['fresh-dns.com'], types, maxAgeSeconds: 100 });
      expect(await ask('A', 'NS')).toMatchObject([{ observedAt: before(50), records: [a] }]);
      expect(await ask('NS')).toMatchObject([{ records: [] }]);
      expect(await ask('A', 'MX')).toEqual([]);
    });

    it('are requested for all types if none is named, and the corpus does not store all of them', async () => {
      const types = ['A', 'AAAA', 'NS', 'MX', 'CNAME', 'TXT', 'SOA'] as const;
      const name = 'has-caa.com';
      const records = [{ type: 'A', value: '192.0.2.1' }];
      await corpus.record({ kind: 'dns', name, at: before(50), types, records });
      const asked = { kind: 'dns', names: [name], maxAgeSeconds: 100 } as const;
      expect(await fresh({ ...asked, types: [...types] })).toMatchObject([{ name }]);
      expect(await fresh(asked)).toEqual([]);
    });
  });
});
