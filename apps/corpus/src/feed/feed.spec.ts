import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChangesAsked, type CorpusChange, keyRanges } from '#libs/contracts';
import { newId } from '#libs/platform';
import { CorpusUnderTest } from '#test/corpus';

const WRITERS = 8;
const CHANGES_PER_WRITER = 25;
const day = (number: number) => `2024-03-${String(number).padStart(2, '0')}T12:00:00.000Z`;

describe('feed', () => {
  let corpus: CorpusUnderTest;
  let names = 0;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
  });
  afterAll(() => corpus.stop());

  const newName = () => `feed-${++names}.com`;
  const listed = (name: string, at: number) => ({ kind: 'listed', name, at: day(at) });
  const whois = (name: string, at: number, record: object) => ({
    kind: 'whois',
    name,
    at: day(at),
    record,
  });
  async function follow(asked: ChangesAsked): Promise<{ changes: CorpusChange[]; cursor: string }> {
    const changes: CorpusChange[] = [];
    for (let page = await corpus.feed.changes(asked); ;) {
      changes.push(...page.changes);
      const { cursor } = page;
      if (!page.hasMore) return { changes, cursor };
      page = await corpus.feed.changes({ cursor, limit: asked.limit });
    }
  }
  const now = async () => (await corpus.feed.changes()).cursor;

  it('states how a name changed, which members changed, and the source', async () => {
    const name = 'xn--mller-kva.com';
    const cursor = await now();
    await corpus.recordOf({ name: 'zone', isSold: true }, listed(name, 1));
    await corpus.record(whois(name, 2, { create_date: '2024-03-01' }));
    await corpus.record(whois(name, 3, { create_date: '2024-03-01', name_servers: ['ns1.x.com'] }));
    await corpus.record({
      kind: 'dns',
      name,
      at: day(3),
      types: ['A', 'NS'],
      records: [{ type: 'A', value: '192.0.2.1' }],
    });
    await corpus.record({
      kind: 'dns',
      name,
      at: day(4),
      types: ['A', 'NS'],
      records: [{ type: 'A', value: '192.0.2.2' }],
    });
    await corpus.record({ kind: 'gone', name, at: day(5) });
    await corpus.record(whois(name, 6, { create_date: '2024-03-06' }));
    const { changes } = await follow({ cursor, limit: 2 });
    const told = changes.map(({ kind, subject, members, isFirst }) => [
      kind,
      subject,
      members,
      isFirst,
    ]);
    expect(told.slice(0, 6)).toEqual([
      ['new', 'name', [], false],
      ['changed', 'whois', [], true],
      ['changed', 'whois', ['name_servers'], false],
      ['changed', 'dns', [], true],
      ['changed', 'dns', ['A'], false],
      ['dropped', 'name', [], false],
    ]);
    expect(told.slice(6)).toEqual(
      expect.arrayContaining([
        ['new', 'name', [], false],
        ['changed', 'whois', ['create_date', 'name_servers'], false],
      ]),
    );
    expect(changes[0]).toMatchObject({ name, unicode: 'müller.com', observedAt: day(1) });
    const { sources } = await corpus.feed.changes({ cursor });
    expect(sources.find(({ id }) => id === changes[0].sourceId)).toMatchObject({
      name: 'zone',
      isSold: true,
    });
    expect(sources.find(({ id }) => id === changes[1].sourceId)).toMatchObject({
      name: 'lookups',
      isSold: false,
    });
  });

  it('reports a new name of a source whose data may not be shown when another source sees it', async () => {
    const name = newName();
    const cursor = await now();
    await corpus.recordOf({ name: 'unseen', isShown: false }, listed(name, 1));
    for (const at of [2, 3]) await corpus.recordOf({ name: 'zone' }, listed(name, at));
    const { changes } = await follow({ cursor });
    const { sources } = await corpus.feed.changes({ cursor });
    const shown = changes.filter(
      ({ sourceId }) => sources.find(({ id }) => id === sourceId)?.isShown,
    );
    expect(shown).toMatchObject([{ name, kind: 'new', subject: 'name', isShownFirst: true }]);
  });

  it('starts now or at a given time', async () => {
    const before = new Date(Date.now() - 60_000).toISOString();
    const name = newName();
    await corpus.record(listed(name, 1));
    const cursor = await now();
    expect((await follow({ cursor })).changes).toEqual([]);
    const since = await follow({ since: before, limit: 3 });
    expect(since.changes.map((change) => change.name)).toContain(name);
    expect((await follow({ cursor: since.cursor })).changes).toEqual([]);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await follow({ since: later })).changes).toEqual([]);
  });

  it('neither skips nor repeats anything, even if writers roll back or are slow', async () => {
    const committed: string[] = [];
    const seen: string[] = [];
    let cursor = await now();
    let isWriting = true;
    const poll = async () => {
      const { changes, cursor: next } = await follow({ cursor, limit: 7 });
      cursor = next;
      seen.push(...changes.map(({ id }) => id));
    };
    const polling = (async () => {
      while (isWriting) await poll();
    })();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let turn = 0; turn < CHANGES_PER_WRITER; turn++) {
          const ids = await write(corpus, writer + turn);
          committed.push(...ids);
        }
      }),
    );
    isWriting = false;
    await polling;
    await poll();
    expect(committed.length).toBeGreaterThan(WRITERS * CHANGES_PER_WRITER);
    expect(seen.toSorted()).toEqual(committed.toSorted());
  });

  it('a cursor from another history repeats the last hour with the same ids', async () => {
    const name = newName();
    const cursor = await now();
    await corpus.record(listed(name, 1));
    const [change] = (await follow({ cursor })).changes;
    const state = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { token: string };
    const other = Buffer.from(JSON.stringify({ ...state, token: '1/2/3' })).toString('base64url');
    const page = await corpus.feed.changes({ cursor: other, limit: 5_000 });
    expect(page.isRepeated).toBe(true);
    expect(page.changes.map(({ id }) => id)).toContain(change.id);
    expect((await follow({ cursor: page.cursor })).changes).toEqual([]);
  });

  it('rejects an invalid cursor', async () => {
    for (const cursor of ['x', Buffer.from('{"token":"a"}').toString('base64url')]) {
      await expect(corpus.feed.changes({ cursor })).rejects.toMatchObject({ status: 400 });
    }
  });

  it('the names to look up next come from permitted sources and have not been looked up recently', async () => {
    const name = { due: newName(), looked: newName(), withheld: newName(), gone: newName() };
    const shared = newName();
    const at = corpus.clock.now().toISOString();
    await corpus.recordOf({ name: 'list' }, listed(name.due, 1), listed(name.looked, 1));
    await corpus.recordOf({ name: 'list' }, listed(name.gone, 1), {
      kind: 'gone',
      name: name.gone,
      at: day(2),
    });
    const withheld = [listed(name.withheld, 1), listed(shared, 1)];
    await corpus.recordOf({ name: 'no-lookups', isLookedUp: false }, ...withheld);
    await corpus.recordOf({ name: 'list' }, listed(shared, 2));
    await corpus.record({ ...whois(name.looked, 1, { create_date: '2024-01-01' }), at });
    const found: string[] = [];
    for (const range of keyRanges(3)) {
      for (let after; after !== null;) {
        const asked = { kind: 'whois', olderThanSeconds: 60, limit: 2, after, ...range } as const;
        const page = await corpus.feed.nextNames({ ...asked, after: after ?? undefined });
        found.push(...page.names.map((one) => one.name));
        ({ after } = page);
      }
    }
    const asked = [...Object.values(name), shared];
    expect(new Set(found.filter((one) => asked.includes(one)))).toEqual(
      new Set([name.due, shared]),
    );
    expect(new Set(found).size).toBe(found.length);
  });

  it('the hosts to look up next are named by permitted sources or by records, and nobody has looked for their addresses recently', async () => {
    const [name, mail] = [newName(), newName()];
    const host = (label: string, more: object = {}) => ({
      kind: 'host',
      name: `${label}.${name}`,
      at: day(1),
      ...more,
    });
    const at = corpus.clock.now().toISOString();
    await corpus.recordOf({ name: 'list' }, host('cert'), host('looked'), host('*'));
    await corpus.recordOf({ name: 'no-lookups', isLookedUp: false }, host('withheld'));
    await corpus.record(
      host('looked', { at, resolved: false }),
      host('withheld', { at: day(2), resolved: true }),
    );
    const records = [`10 mx.${mail}`, `20 ${mail}`, '30 mx.unregistered.com'];
    const mailed = (at: number, values: readonly string[]) => ({
      kind: 'dns',
      name,
      at: day(at),
      types: ['MX'],
      records: values.map((value) => ({ type: 'MX', value })),
    });
    await corpus.record(mailed(2, records));
    // The records are the same, but the name of a server has become known.
    await corpus.recordOf({ name: 'list' }, listed(mail, 1), mailed(1, [`5 imported.${mail}`]));
    await corpus.record(mailed(4, records));
    const found: string[] = [];
    for (let after; after !== null;) {
      const asked = { kind: 'host', olderThanSeconds: 60, limit: 2, after } as const;
      const page = await corpus.feed.nextNames({ ...asked, after: after ?? undefined });
      found.push(...page.names.map((one) => one.name));
      ({ after } = page);
    }
    expect(found.toSorted()).toEqual([`cert.${name}`, `mx.${mail}`]);
  });
});

/**
 * Runs a transaction that commits at once, commits after a pause, or rolls back. @returns the ids of the committed
 * changes.
 */
async function write(corpus: CorpusUnderTest, manner: number): Promise<string[]> {
  const ids = Array.from({ length: (manner % 3) + 1 }, newId);
  const undone = new Error('undone on purpose');
  try {
    await corpus.database.transaction(async (transaction) => {
      await transaction.query(
        `insert into change_event (id, domain_key, name, kind, observed_at, source_id)
         select id, 1, 'writer.com', 'new', now(), 1 from unnest($1::uuid[]) as id`,
        [ids],
      );
      if (manner % 4 === 1) throw undone;
      if (manner % 4 === 2) await transaction.query('select pg_sleep(0.02)');
    });
    return ids;
  } catch (error) {
    if (error !== undone) throw error;
    return [];
  }
}
