import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  DNS_HISTORICAL,
  DNS_REVERSE,
  type Dataset,
  type DatasetRow,
  SUBDOMAINS,
  TYPOS,
  type TyposAnswer,
  WHOIS_HISTORY,
  WHOIS_REVERSE,
} from '#libs/contracts';
import { SECOND_MS, monotonicMs } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';
import { isBlockedBy, waitFor } from '#test/environment';
import { corpus as service } from '../service.js';
import { SuppressionsRepository } from './suppressions.repository.js';
import { SuppressionsService } from './suppressions.service.js';

const ADA = {
  create_date: '2020-01-01',
  registrant_contact: {
    name: 'Ada Lovelace',
    company: 'Engines Ltd',
    email_address: 'ada@engines.example',
    phone: '+44.2012345678',
  },
  technical_contact: { name: 'Tech Desk' },
};
const LATER = { ...ADA, expiry_date: '2031-01-01' };
const BARE = { create_date: '2020-01-01', technical_contact: { name: 'Tech Desk' } };
const WRITERS = 4;
const day = (number: number) => `2024-03-${String(number).padStart(2, '0')}T12:00:00.000Z`;

describe('suppression', () => {
  let corpus: CorpusUnderTest;
  let folder: string;
  let path: string;
  let names = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppressions-'));
    path = join(folder, 'suppressions.list');
    corpus = await CorpusUnderTest.start({ suppressionsPath: path });
  });
  afterAll(async () => {
    await corpus.stop();
    await rm(folder, { recursive: true });
  });

  const newName = () => `hidden-${++names}.com`;
  const whois = (name: string, at: number, record: object) => ({
    kind: 'whois',
    name,
    at: day(at),
    record,
    raw: `Registrant: ${JSON.stringify(record)}`,
  });
  const seen = (name: string, value: string) => [
    whois(name, 1, ADA),
    whois(name, 2, LATER),
    {
      kind: 'dns',
      name,
      at: day(1),
      types: ['A', 'NS'],
      records: [
        { type: 'A', value },
        { type: 'NS', value: 'ns1.provider.example' },
      ],
    },
    { kind: 'host', name: `www.${name}`, at: day(1), resolved: true },
  ];
  /**
   * Returns the answers of every endpoint about a name, an address and a person, without the members that repeat the
   * request.
   */
  async function everything(name: string, value: string): Promise<string> {
    const ask = async (path_: string, parameters: Record<string, string>) => {
      const answer = await corpus.ask<Record<string, unknown>>(path_, parameters);
      const { domain_name: _name, domain_unicode: _unicode, query: _query, ...rest } = answer;
      return rest;
    };
    const rows: DatasetRow[] = [];
    const { signal } = new AbortController();
    for await (const row of corpus.feed.rows({ dataset: 'whois' }, { signal })) rows.push(row);
    for await (const row of corpus.feed.rows({ dataset: 'dns' }, { signal })) rows.push(row);
    const fresh = { names: [name], maxAgeSeconds: 100_000_000 / 4 } as const;
    const answers = [];
    for await (const one of corpus.feed.freshest({ kind: 'whois', ...fresh }, { signal })) {
      answers.push(one);
    }
    return JSON.stringify([
      await ask(WHOIS_HISTORY.owner.path, { domainName: name }),
      await ask(WHOIS_HISTORY.owner.path, { domainName: name, view: 'changes' }),
      await ask(DNS_HISTORICAL.owner.path, { domainName: name }),
      await ask(SUBDOMAINS.owner.path, { domainName: name }),
      await ask(DNS_REVERSE.owner.path, { value, type: 'A' }),
      await ask(WHOIS_REVERSE.owner.path, { owner: 'Ada Lovelace' }),
      await ask(WHOIS_REVERSE.owner.path, { email: 'ada@engines.example' }),
      await ask(WHOIS_REVERSE.owner.path, { keyword: 'Engines Ltd' }),
      rows,
      answers,
      (await corpus.feed.changes({ since: '2020-01-01T00:00:00Z', limit: 5_000 })).changes,
    ]);
  }
  const kept = async (name: string) =>
    JSON.stringify(
      await Promise.all(
        ['domain', 'whois_revision', 'contact_token', 'dns_span', 'host', 'change_event'].map(
          async (table) => corpus.database.query(`select * from ${table} where name = $1`, [name]),
        ),
      ),
    );

  it('S118: no answer and no table contains a suppressed domain, and the domain cannot be imported again', async () => {
    const name = newName();
    await corpus.recordOf({ name: 'sold' }, ...seen(name, '192.0.2.10'));
    expect(await everything(name, '192.0.2.10')).toContain(name);
    const { version } = await corpus.operate.suppress({
      kind: 'domain',
      value: name.toUpperCase(),
    });
    expect(await everything(name, '192.0.2.10')).not.toContain(name);
    await corpus.recordOf({ name: 'sold' }, ...seen(name, '192.0.2.10'));
    expect(await kept(name)).toBe('[[],[],[],[],[],[]]');
    expect(await corpus.feed.suppressionVersion()).toEqual({ version, domains: version });
    expect(await corpus.operate.suppress({ kind: 'domain', value: name })).toEqual({
      version,
      isNew: false,
    });
  });

  it('a page from which a name is suppressed is as long as before, and links to the next page', async () => {
    const listed = Array.from({ length: 30 }, (_, place) => `paged-${place}.com`);
    await corpus.record(...listed.map((name) => ({ kind: 'listed', name, at: day(1) })));
    const pages = async () => {
      const answers = await corpus.pagesOf<TyposAnswer>(TYPOS, { keyword: 'paged' });
      return answers.map(({ domains }) => domains.map(({ domain_name }) => domain_name));
    };
    await waitFor('the names', async () => (await pages()).flat().length === listed.length);
    for (let left = listed.length - 1; left >= 20; left -= 1) {
      const [first] = await pages();

      await corpus.operate.suppress({ kind: 'domain', value: first[left % first.length] });
      const rest = await pages();
      expect(rest.map(({ length }) => length)).toEqual(
        Array.from({ length: Math.ceil(left / 7) }, (_, page) => Math.min(7, left - 7 * page)),
      );
    }
  });

  it('searches read the list of suppressed values while every connection of the write path waits', async () => {
    const search = async () => corpus.ask(TYPOS.owner.path, { keyword: 'waiting' });
    const written = await corpus.database.transaction(async (transaction) => {
      await transaction.query(`select pg_advisory_xact_lock(hashtext('corpus.observations'))`);
      const writing = Array.from({ length: 3 * WRITERS }, async (_, place) =>
        corpus.record({ kind: 'listed', name: `waiting-${place}.com`, at: day(1) }),
      );
      const settled = Promise.allSettled(writing);
      await waitFor('the writers', () => isBlockedBy(transaction));
      // The searches continue for longer than the list is cached.
      for (const until = monotonicMs() + 2 * SECOND_MS; monotonicMs() < until;) await search();
      return { settled };
    });
    // Some writers may have failed, because they waited too long for a connection.
    await written.settled;
  });

  it.each([
    ['email', 'ADA@engines.example', 'ada@engines.example'],
    ['name', 'ada  lovelace', 'Ada Lovelace'],
    ['phone', '+44 20 1234 5678', '2012345678'],
  ] as const)(
    'S118: a contact that contains a suppressed %s is hidden at once, and erased together with the raw text',
    async (kind, value, told) => {
      const number = String(names);
      const other = `${kind}-${number}`;
      const ada = JSON.parse(
        JSON.stringify([ADA, LATER])
          .replaceAll('engines.example', `${other}.example`)
          .replaceAll('Ada Lovelace', `Ada Lovelace ${other}`)
          .replaceAll('+44.20', `+44.20${number}`),
      ) as object[];
      const own = (text: string) =>
        kind === 'email'
          ? text.replace('engines.example', `${other}.example`)
          : kind === 'name'
            ? `${text} ${other}`
            : text.replace(/20 ?/u, (start) => `${start}${number}`);
      const name = newName();
      await corpus.recordOf({ name: 'sold' }, whois(name, 1, ada[0]), whois(name, 2, ada[1]));
      await corpus.record(whois(name, 3, BARE));
      await corpus.record(whois(name, 4, ada[1]));
      const shown = own(told);
      expect(await everything(name, '192.0.2.1')).toContain(shown);
      await corpus.operate.suppress({ kind, value: own(value) });
      const hidden = await everything(name, '192.0.2.1');
      expect(hidden).not.toContain(shown);
      expect(hidden).toContain('Tech Desk');
      await corpus.record(whois(name, 5, ada[0]));
      await corpus.eraseSuppressed();
      const left = await kept(name);
      expect(left).not.toContain(shown);
      expect(left).not.toContain('lovelace');
      const raw = await corpus.database.query(
        `select from whois_revision where name = $1 and raw is not null and record ->> 'registrant_contact' is null
         and observed_at <> $2`,
        [name, day(3)],
      );
      expect(raw).toEqual([]);
    },
  );

  it('suppressing a person does not change files that contain only names or DNS records', async () => {
    const { signal } = new AbortController();
    const endOf = async (dataset: Dataset) => {
      for (const rows = corpus.feed.rows({ dataset }, { signal }); ;) {
        const next = await rows.next();
        if (next.done) return next.value.suppressionVersion;
      }
    };
    await corpus.operate.suppress({ kind: 'domain', value: newName() });
    const { domains } = await corpus.feed.suppressionVersion();
    const value = 'files@engines.example';
    const { version } = await corpus.operate.suppress({ kind: 'email', value });
    expect(version).toBeGreaterThan(domains);
    expect(await corpus.feed.suppressionVersion()).toEqual({ version, domains });
    expect([await endOf('names'), await endOf('dns')]).toEqual([domains, domains]);
    expect([await endOf('whois'), await endOf('whois_cleaned')]).toEqual([version, version]);
  });

  it('the hashes of dataset rows identify the rows with values that are suppressed later', async () => {
    const [name, other] = [newName(), newName()];
    const contact = {
      name: 'Grace Hopper',
      email_address: 'Grace@Navy.example',
      phone: '+1.555-0199-77',
    };
    const record = { registrant_contact: contact };
    await corpus.recordOf({ name: 'sold' }, whois(name, 1, record), whois(other, 1, BARE));
    const rows = new Map<string, string>();
    const { signal } = new AbortController();
    for await (const row of corpus.feed.rows({ dataset: 'whois' }, { signal })) {
      rows.set(row.name, row.hashes!);
    }
    const { version: after } = await corpus.feed.suppressionVersion();
    for (const [kind, value] of [
      ['name', 'grace hopper'],
      ['email', 'grace@navy.example'],
      ['phone', '1 555 0199 77'],
      ['domain', name],
    ] as const) {
      await corpus.operate.suppress({ kind, value });
    }
    const later = await corpus.feed.suppressedHashes({ dataset: 'whois', after });
    expect(later.version).toBe(after + 4);
    for (const hash of later.hashes) {
      expect(rows.get(name)).toContain(hash);
      expect(rows.get(other)).not.toContain(hash);
    }
    expect(new Set(later.hashes).size).toBe(4);
    const ofNames = await corpus.feed.suppressedHashes({ dataset: 'names', after });
    expect(ofNames).toEqual({ hashes: [later.hashes[3]], version: after + 4 });
  });

  it('a value that is suppressed when a pass over the data begins is erased by the next pass', async () => {
    const name = newName();
    const record = { registrant_contact: { phone: '+44.2087654321' } };
    await corpus.record(whois(name, 1, record));
    await corpus.eraseSuppressed();
    const repository = corpus.get(SuppressionsRepository);
    const list = repository.list.bind(repository);
    jest.spyOn(repository, 'list').mockImplementationOnce(async (on) => {
      await corpus.operate.suppress({ kind: 'phone', value: '+44.2087654321' });
      return list(on);
    });
    for (let pass = 0; pass < 2; pass++) await corpus.eraseSuppressed();
    expect(await kept(name)).not.toContain('87654321');
  });

  it('an interrupted pass continues after the last checked name; a value suppressed meanwhile gets its own pass', async () => {
    const name = newName();
    const record = {
      registrant_contact: { phone: '+44.2011111111' },
      technical_contact: { phone: '+44.2022222222' },
    };
    await corpus.record(whois(name, 1, record));
    const repository = corpus.get(SuppressionsRepository);
    await corpus.operate.suppress({ kind: 'phone', value: '+44.2011111111' });
    jest.spyOn(repository, 'finish').mockRejectedValueOnce(new Error('killed on purpose'));
    await expect(corpus.eraseSuppressed()).rejects.toThrow('killed on purpose');
    expect(await kept(name)).not.toContain('2011111111');
    await corpus.operate.suppress({ kind: 'phone', value: '+44.2022222222' });
    const listed = jest.spyOn(repository, 'listNames');
    await corpus.eraseSuppressed();
    expect(listed.mock.calls.map(([after]) => after.name)).not.toContain('');
    expect(await kept(name)).toContain('2022222222');
    await corpus.eraseSuppressed();
    expect(await kept(name)).not.toContain('2022222222');
  });

  it('hiding a contact does not count as a change of its name', async () => {
    const name = newName();
    await corpus.record(whois(name, 1, ADA));
    await corpus.operate.suppress({ kind: 'email', value: 'ada@engines.example' });
    await corpus.eraseSuppressed();
    const { cursor } = await corpus.feed.changes();
    await corpus.record(whois(name, 2, ADA));
    expect((await corpus.feed.changes({ cursor })).changes).toEqual([]);
  });

  it('S119: a restored database shows nothing until the list has been applied to it again', async () => {
    const name = newName();
    await corpus.recordOf({ name: 'sold' }, ...seen(name, '192.0.2.11'));
    const tables = ['domain', 'whois_revision', 'dns_span', 'host'];
    const backup = new Map<string, { row: object }[]>();
    for (const table of tables) {
      const rows = await corpus.database.query<{ row: object }>(
        `select to_jsonb(t) as row from ${table} t where name = $1`,
        [name],
      );
      backup.set(table, rows);
    }
    const { version } = await corpus.operate.suppress({ kind: 'domain', value: name });
    await corpus.eraseSuppressed();
    await corpus.database.transaction(async (transaction) => {
      await transaction.query('delete from suppression where version >= $1', [version]);
      for (const [table, rows] of backup) {
        for (const { row } of rows) {
          await transaction.query(
            `insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`,
            [JSON.stringify(row)],
          );
        }
      }
    });
    await corpus.eraseSuppressed();
    expect(await corpus.feed.suppressionVersion()).toEqual({ version, domains: version });
    expect(await everything(name, '192.0.2.11')).not.toContain(name);
    expect(await kept(name)).toBe('[[],[],[],[],[],[]]');
    // The corpus gives no answers before the job has run.
    await corpus.database.query('delete from suppression where version >= $1', [version]);
    await corpus.record({ kind: 'listed', name: 'other.com', at: day(1) });
    await expect(everything(name, '192.0.2.11')).rejects.toMatchObject({ status: 503 });
    await corpus.eraseSuppressed();
    await everything(name, '192.0.2.11');
    // A write that is rolled back may be the first to read the list after a restore.
    await corpus.database.query('delete from suppression where version >= $1', [version]);
    const undone = corpus.database.transaction(async (transaction) => {
      await corpus.get(SuppressionsService).lockWriting(transaction);
      throw new Error('undone on purpose');
    });
    await expect(undone).rejects.toThrow('undone on purpose');
    await corpus.eraseSuppressed();
    await everything(name, '192.0.2.11');
  });

  it('S119: neither the list nor its copy in the database contains suppressed values, and only the list contains the key of the hashes', async () => {
    const list = await readFile(path, 'utf8');
    const [key, ...hashes] = list.trim().split('\n');
    expect(key).toMatch(/^key .{32,}/);
    expect(hashes).not.toEqual([]);
    expect(list).not.toMatch(/lovelace|engines|hidden-/i);
    const copy = JSON.stringify(await corpus.database.query('select * from suppression'));
    expect(copy).not.toMatch(/lovelace|engines|hidden-/i);
    expect(copy).not.toContain(key.slice('key '.length));
  });

  it('rejects a value that is invalid for its kind', async () => {
    for (const asked of [
      { kind: 'domain', value: 'no name' },
      { kind: 'domain', value: 'www.engines.com' },
      { kind: 'phone', value: 'none' },
      { kind: 'name', value: '  ' },
      { kind: 'email', value: 'ada' },
      { kind: 'email', value: 'Ada <ada@engines.example>' },
    ] as const) {
      await expect(corpus.operate.suppress(asked)).rejects.toMatchObject({ status: 400 });
    }
  });

  it('the corpus need not act on AccountErased: no table refers to an account, and no event is read', async () => {
    expect(service).not.toHaveProperty('consumers');
    const columns = await corpus.database.query<{ table_name: string }>(
      `select distinct table_name from information_schema.columns
       where table_schema = current_schema() and column_name in ('account_id', 'account')`,
    );
    expect(columns).toEqual([]);
  });
});
