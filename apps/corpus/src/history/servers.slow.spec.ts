import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WHOIS_HISTORY, type WhoisHistoryAnswer } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { changesByRecord } from '../records/record-changes.js';
import { CorpusUnderTest } from '#test/corpus';
import { awayFromMidnight } from '#test/environment';
import { permutationsOf } from '../../../../test/permutations.js';
import { Random } from '../../../../test/random.js';

await awayFromMidnight();

const SOLD = { name: 'answers' };
const SERVERS = {
  rdap: ['registry rdap delivered', 'registrar rdap delivered'],
  port43: [
    'registry rdap unreachable',
    'registry whois43 delivered',
    'registrar whois43 delivered',
  ],
  denied: ['registry rdap delivered', 'registrar rdap not_registered'],
  alone: ['registry rdap delivered', 'registrar rdap timeout'],
  file: [],
};
type Servers = keyof typeof SERVERS;

interface Truth {
  expires?: string;
  status?: string;
  holder?: string;
  host?: string;
}

function published(by: Servers, truth: Truth) {
  const { expires = '2030-01-01', status = 'hold', holder = 'Ada', host = 'ns1.x.net' } = truth;
  if (by === 'rdap' || by === 'denied' || by === 'alone') {
    return {
      create_date: '2020-01-01',
      expiry_date: expires,
      domain_registrar: { registrar_name: 'Sample, Inc.', iana_id: '9901' },
      ...(by === 'rdap' && { registrant_contact: { name: holder } }),
      name_servers: [host],
      domain_status: [`client${status}`],
      secure_dns: false,
    };
  }
  return {
    expiry_date: `${expires.slice(0, 8)}02`,
    domain_registrar: { registrar_name: 'SAMPLE' },
    registrant_contact: { company: `${holder} Ltd`, country_code: 'DE' },
    name_servers: [host],
    domain_status: [status],
  };
}

describe('the history of a registration for which several servers answer', () => {
  let corpus: CorpusUnderTest;
  let names = 0;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
  });
  afterAll(() => corpus.stop());

  /** Observations begin six days ago and are stored today, so that today's files contain the changes. */
  const begin = Math.floor(Date.now() / DAY_MS) * DAY_MS - 6 * DAY_MS;
  const at = (place: number) => new Date(begin + place * 3_600_000).toISOString();
  const line = (name: string, place: number, by: Servers, truth: Truth = {}) => ({
    kind: 'whois',
    name,
    at: at(place),
    complete: by !== 'alone',
    answered_by: SERVERS[by].map((text) => {
      const [role, protocol, outcome] = text.split(' ');
      return { role, protocol, outcome };
    }),
    record: published(by, truth),
  });

  async function historyOf(name: string) {
    const ask = async (view: string) =>
      corpus.answerTo<WhoisHistoryAnswer>(WHOIS_HISTORY, { domainName: name, view });
    const [{ records }, { changes }] = [await ask('records'), await ask('changes')];
    const rows = await corpus.database.query<{ at: Date; members: string[] }>(
      `select observed_at as at, members from change_event
       where name = $1 and subject = 'whois' and not is_first order by observed_at`,
      [name],
    );
    const place = (time: string) => (Date.parse(time) - begin) / 3_600_000;
    return {
      records: records!.map((one) => {
        return `${one.protocol} ${place(one.first_seen)} to ${place(one.last_seen)}`;
      }),
      changes: changes!.map(({ changed_at, path, before, after }) => {
        return `${place(changed_at)} ${path}: ${before} to ${after}`;
      }),
      events: rows.map((row) => `${place(row.at.toISOString())} ${row.members.join()}`),
    };
  }

  async function history(...seen: readonly (readonly [Servers, Truth?])[]) {
    const name = `servers-${++names}.com`;
    for (const [place, [by, truth]] of seen.entries()) {
      await corpus.recordOf(SOLD, line(name, place, by, truth));
    }
    return { ...(await historyOf(name)), name };
  }

  it('has one record if RDAP was unavailable for a while and then gives the same data as before', async () => {
    const { name, ...told } = await history(['rdap'], ['port43'], ['port43'], ['rdap'], ['rdap']);
    expect(told).toEqual({ records: ['rdap 0 to 4'], changes: [], events: [] });
    const signal = AbortSignal.timeout(60_000);
    const day = new Date().toISOString().slice(0, 10);
    const rows = corpus.feed.rows({ dataset: 'updated_whois', day }, { signal });
    for await (const row of rows) expect(row.name).not.toBe(name);
  });

  it('has the newest record, whichever server gave it', async () => {
    const { records, changes, events } = await history(['rdap'], ['port43']);
    expect(records).toEqual(['whois43 1 to 1', 'rdap 0 to 0']);
    expect([changes, events]).toEqual([[], []]);
  });

  it('has the record that was current when the period began', async () => {
    const name = `servers-${++names}.com`;
    await corpus.recordOf(SOLD, line(name, 0, 'rdap'), line(name, 1, 'port43'));
    await corpus.recordOf(SOLD, line(name, 30, 'rdap'));
    const asked = { domainName: name, after: at(24).slice(0, 10), before: at(48).slice(0, 10) };
    const { records } = await corpus.answerTo<WhoisHistoryAnswer>(WHOIS_HISTORY, asked);
    expect(records).toMatchObject([{ first_seen: at(0), last_seen: at(30), protocol: 'rdap' }]);
  });

  it('has each record on exactly one page, even if another server answers between two pages', async () => {
    const ones = ['2031', '2032', '2033', '2034'].map((year) => ({ expires: `${year}-01-01` }));
    const { name } = await history(...ones.map((truth) => ['rdap', truth] as const));
    const asked = { domainName: name, page_size: '1' };
    const pages = ['port43', 'file', 'port43', undefined] as const;
    const found: (string | undefined)[] = [];
    let cursor: string | undefined;
    for (const [place, by] of pages.entries()) {
      const { records, paging } = await corpus.answerTo<WhoisHistoryAnswer>(WHOIS_HISTORY, {
        ...asked,
        ...(cursor && { cursor }),
      });
      found.push(...records!.map((one) => one.expiry_date));
      cursor = paging.next_cursor ?? undefined;
      if (by) await corpus.recordOf(SOLD, line(name, 10 + place, by, ones[3]));
    }
    expect(found).toEqual(ones.map(({ expires }) => expires).toReversed());
    expect(cursor).toBeUndefined();
  });

  it('has each change on exactly one page, even if another change is stored between two pages', async () => {
    const hosts = ['ns1.x.net', 'ns2.x.net', 'ns3.x.net'];
    const { name } = await history(
      ...hosts.map((host, place) => ['rdap', { host, expires: `203${place}-01-01` }] as const),
    );
    const asked = { domainName: name, view: 'changes', page_size: '1' };
    const found: string[] = [];
    let cursor: string | undefined;
    for (let place = 3; place < 7; place += 1) {
      const { changes, paging } = await corpus.answerTo<WhoisHistoryAnswer>(WHOIS_HISTORY, {
        ...asked,
        ...(cursor && { cursor }),
      });
      found.push(...changes!.map(({ path, after }) => `${path} ${after}`));
      cursor = paging.next_cursor ?? undefined;
      await corpus.recordOf(SOLD, line(name, place, 'rdap', { status: `of ${place}` }));
    }
    expect(found).toEqual([
      'expiry_date 2032-01-01',
      'name_servers ns3.x.net',
      'expiry_date 2031-01-01',
      'name_servers ns2.x.net',
    ]);
    expect(cursor).toBeUndefined();
    const all = { domainName: name, view: 'changes' };
    const { changes } = await corpus.answerTo<WhoisHistoryAnswer>(WHOIS_HISTORY, all);
    const oldest = { ...all, sort: 'oldest', page_size: '1' };
    const pages = await corpus.pagesOf<WhoisHistoryAnswer>(WHOIS_HISTORY, oldest);
    expect(pages.flatMap((page) => page.changes!)).toEqual(changes!.toReversed());
  });

  it('has the records of an earlier period, even if there are a thousand newer ones, the most that are compared', async () => {
    const { name } = await history(['rdap'], ['port43'], ['rdap', { status: 'ok' }]);
    await corpus.database.query(
      `insert into whois_revision (domain_key, name, is_complete, observed_at, state, source_id, record, answered_by)
       select domain_key, name, is_complete, observed_at + n * interval '1 minute' + interval '36 hours',
         md5(n::text)::uuid, source_id, record, answered_by
       from whois_revision, generate_series(1, 1000) n where name = $1 and observed_at = $2`,
      [name, at(2)],
    );
    const ask = async (days: object) => {
      const asked = { domainName: name, ...days };
      return corpus.answerTo<WhoisHistoryAnswer>(WHOIS_HISTORY, asked);
    };
    const { records, paging } = await ask({ before: at(24).slice(0, 10) });
    expect(records!.map((one) => one.first_seen)).toEqual([at(2), at(1), at(0)]);
    expect(paging).toMatchObject({ total_records: 3, total_is: 'exact' });
    const newest = await ask({ page: '20', page_size: '50' });
    expect(newest.records).toHaveLength(50);
    expect(newest.paging).toMatchObject({ total_records: 1_000, total_is: 'at_least' });
    const later = await ask({ after: at(48).slice(0, 10), page_size: '1' });
    expect(later.paging.total_is).toBe('exact');
  });

  it('does not report that data is gone when a registrar does not know the name', async () => {
    const { records, changes, events } = await history(['rdap'], ['denied'], ['rdap']);
    expect(records).toEqual(['rdap 0 to 2']);
    expect([changes, events]).toEqual([[], []]);
    const held = await history(['rdap'], ['denied', { status: 'ok' }], ['rdap', { status: 'ok' }]);
    expect(held.changes).toEqual(['1 domain_status: clienthold to clientok']);
    expect(held.events).toEqual(['1 domain_status']);
  });

  it('reports contacts once the registrar publishes them, even if its registry knew the name before', async () => {
    const { events } = await history(['denied'], ['rdap'], ['denied'], ['rdap']);
    expect(events).toEqual(['1 registrant_contact']);
  });

  it('lists incomplete records only until they are complete again, and never in place of complete ones', async () => {
    const away = await history(['rdap'], ['alone'], ['rdap']);
    expect(away).toMatchObject({ records: ['rdap 0 to 2'], changes: [], events: [] });
    const usual = await history(['alone'], ['rdap'], ['alone']);
    expect(usual).toMatchObject({
      records: ['rdap 1 to 1', 'rdap 0 to 2'],
      changes: [],
      events: [],
    });
    const held = await history(['rdap'], ['alone', { status: 'ok' }], ['rdap', { status: 'ok' }]);
    expect(held.records).toEqual(['rdap 2 to 2', 'rdap 1 to 1', 'rdap 0 to 0']);
    expect(held.changes).toEqual(['2 domain_status: clienthold to clientok']);
    const known = await history(['denied'], ['rdap'], ['denied'], ['rdap']);
    expect(known.records).toEqual(['rdap 1 to 3', 'rdap 0 to 2']);
  });

  it('has a change only once if port 43 shows the change while RDAP is unavailable', async () => {
    const expires = '2031-01-01';
    const told = await history(
      ['rdap'],
      ['port43'],
      ['port43', { expires }],
      ['rdap', { expires }],
      ['port43', { expires }],
      ['rdap', { expires }],
    );
    expect(told.changes).toEqual(['2 expiry_date: 2030-01-02 to 2031-01-02']);
    expect(told.events).toEqual(['2 expiry_date']);
    expect(told.records).toEqual([
      'rdap 3 to 5',
      'whois43 2 to 2',
      'whois43 1 to 1',
      'rdap 0 to 0',
    ]);
  });

  it('records a change that port 43 showed first when RDAP answers again', async () => {
    const truth = { expires: '2031-01-01', holder: 'Bob' };
    const told = await history(['rdap'], ['port43', truth], ['rdap', truth]);
    expect(told.changes).toEqual([
      '2 expiry_date: 2030-01-01 to 2031-01-01',
      '2 registrant_contact.name: Ada to Bob',
    ]);
    expect(told.events).toEqual(['2 expiry_date,registrant_contact']);
  });

  it('has a change of name servers immediately, whichever server shows it', async () => {
    const moved = { host: 'ns9.x.net' };
    const told = await history(['rdap'], ['port43', moved], ['rdap', moved], ['file', moved]);
    expect(told.changes).toEqual(['1 name_servers: ns1.x.net to ns9.x.net']);
    expect(told.events).toEqual(['1 name_servers']);
  });

  it('has a change that RDAP showed only once, even if port 43 answers later with the same value', async () => {
    const expires = '2031-01-01';
    const told = await history(
      ['port43'],
      ['rdap'],
      ['rdap', { expires }],
      ['port43', { expires }],
    );
    expect(told.changes).toEqual(['2 expiry_date: 2030-01-01 to 2031-01-01']);
    expect(told.events).toEqual(['2 expiry_date']);
  });

  it('has both changes of a value that changes back, if all servers write the value in the same way', async () => {
    const [away, back] = [{ host: 'ns9.x.net' }, {}];
    const told = await history(['rdap'], ['port43'], ['port43', away], ['rdap', back]);
    expect(told.changes).toEqual([
      '3 name_servers: ns9.x.net to ns1.x.net',
      '2 name_servers: ns1.x.net to ns9.x.net',
    ]);
    const twice = await changesByRecord(
      [
        ['rdap', 'ok'],
        ['port43', 'ok'],
        ['port43', 'hold'],
        ['port43', 'lock'],
        ['rdap', 'ok'],
      ].map(([by, status]) => ({
        answeredBy: SERVERS[by as Servers].join(),
        record: { domain_status: [status] },
      })),
    );
    expect(twice.at(-1)).toEqual([{ path: 'domain_status', before: 'lock', after: 'ok' }]);
  });

  it('keeps records of files next to records of servers, and compares each with its own kind', async () => {
    const told = await history(
      ['file'],
      ['rdap'],
      ['file'],
      ['rdap', { expires: '2031-01-01' }],
      ['file', { expires: '2031-01-01' }],
    );
    expect(told.changes).toEqual(['3 expiry_date: 2030-01-01 to 2031-01-01']);
    expect(told.events).toEqual(['3 expiry_date']);
    expect(told.records).toEqual([
      'undefined 4 to 4',
      'rdap 3 to 3',
      'rdap 1 to 1',
      'undefined 0 to 2',
    ]);
  });

  it('does not depend on the order in which the observations arrive', async () => {
    const seen = [
      ['rdap', {}],
      ['port43', {}],
      ['port43', { expires: '2031-01-01' }],
      ['rdap', { expires: '2031-01-01' }],
    ] as const;
    const all = permutationsOf(seen.length).map((order) => ({
      order,
      name: `servers-${++names}.com`,
    }));
    for (const step of seen.keys()) {
      const lines = all.map(({ order, name }) => {
        const [by, truth] = seen[order[step]];
        return line(name, order[step], by, truth);
      });
      await corpus.recordOf(SOLD, ...lines);
    }
    for (const { name } of all) {
      const { records, changes } = await historyOf(name);
      expect(changes).toEqual(['2 expiry_date: 2030-01-02 to 2031-01-02']);
      expect(records.length).toBe(4);
    }
  });

  it('has each change of name servers exactly once, and no other change, whichever servers answered', async () => {
    const random = new Random(7);
    const all = Array.from({ length: 30 }, () => {
      const changed = Array.from({ length: 12 }, (_, place) => place > 0 && random.chance(0.25));
      const truths = changed.map((_, place) => ({
        host: `ns${changed.lastIndexOf(true, place)}.x.net`,
      }));
      const servers = truths.map(() => random.pick(['rdap', 'port43', 'denied', 'file'] as const));
      return { name: `servers-${++names}.com`, changed, truths, servers };
    });
    for (let place = 0; place < 12; place++) {
      const lines = all.map(({ name, servers, truths }) =>
        line(name, place, servers[place], truths[place]),
      );
      await corpus.recordOf(SOLD, ...lines);
    }
    for (const { name, changed, servers } of all) {
      const real = changed.flatMap((is, place) => (is ? [`${place} name_servers`] : []));
      const { changes, events } = await historyOf(name);
      expect(changes.map((text) => text.split(':')[0]).toReversed()).toEqual(real);
      const first = servers.findIndex((by) => by !== 'denied');
      const late = first > 0 ? [`${first} registrant_contact`] : [];
      const told = events.flatMap((text) => {
        const [place, members] = text.split(' ');
        return members.split(',').map((member) => `${place} ${member}`);
      });
      expect(told.toSorted()).toEqual([...real, ...late].toSorted());
    }
  });
});
