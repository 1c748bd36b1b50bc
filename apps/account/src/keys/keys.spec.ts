import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ApiKeyChanged,
  type IssuedKeyAnswer,
  hashApiKey,
  isWellFormedApiKey,
} from '#libs/contracts';
import { DAY_MS, MINUTE_MS, newId } from '#libs/platform';
import { AccountUnderTest, type Owner } from '../../../../test/account/account-under-test.js';

describe('keys', () => {
  let account: AccountUnderTest;
  let owner: Owner;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
  });
  afterAll(() => account.stop());
  beforeEach(async () => {
    owner = await account.newOwner();
  });

  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    account.dashboard(method, path, { body, token: owner.token });

  async function createKey(extra: object = {}): Promise<Required<IssuedKeyAnswer>> {
    const body = { name: 'Server', environment: 'live', ...extra };
    const answer = await call('POST', 'keys', body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }

  const recordOf = (value: string) =>
    account.client.findKey(hashApiKey(value, account.config.keyPepper));

  const events = () =>
    account.database.query<{ type: string; aggregate: string; data: ApiKeyChanged }>(
      'select type, aggregate, data from outbox where key = $1 order by position',
      [owner.accountId],
    );

  const changed = (keyId: string, state: ApiKeyChanged['state']) => ({
    type: 'account.api-key-changed',
    aggregate: `key:${keyId}`,
    data: { keyId, state },
  });

  it('S5: a key is shown once, at its creation, and is masked afterwards', async () => {
    const { key: value, ...key } = await createKey();
    expect(isWellFormedApiKey(value)).toBe(true);
    const list = await call('GET', 'keys');
    expect(list.body.keys).toEqual([key]);
    expect((await call('GET', `keys/${key.id}`)).body).toEqual(key);
    expect(key).toMatchObject({ masked: `dds_live_…${value.slice(-4)}`, state: 'active' });
    expect(JSON.stringify(list.body)).not.toContain(value);
  });

  it('S4: a key is found by its whole hash, through a unique index', async () => {
    const indexes = await account.database.query<{ definition: string }>(
      `select indexdef as definition from pg_indexes where tablename = 'api_keys'`,
    );
    const unique = indexes.filter(({ definition }) => /unique.*\(key_hash\)/i.test(definition));
    expect(unique).toHaveLength(1);
    const { key: value, id } = await createKey();
    const hash = hashApiKey(value, account.config.keyPepper);
    expect((await account.client.findKey(hash))?.keyId).toBe(id);
    const almost = hash.slice(0, -1) + (hash.endsWith('0') ? '1' : '0');
    expect(await account.client.findKey(almost)).toBeNull();
  });

  it('S3: no table and no log line contains a key, only its peppered hash', async () => {
    const { key: value, ...key } = await createKey();
    const sinks = (await account.dump()) + account.logLines.join();
    // Columns of bytes are dumped in hexadecimal digits.
    for (const form of [value, Buffer.from(value).toString('hex')]) {
      expect(sinks).not.toContain(form);
    }
    expect((await recordOf(value))?.keyId).toBe(key.id);
  });

  it('creating, changing, rotating or revoking keys publishes one event for each affected key, with its new state', async () => {
    const first = await createKey();
    await call('PATCH', `keys/${first.id}`, { scopes: ['dns'] });
    const rotated = await call('POST', `keys/${first.id}/rotate`, { overlap: '1h' });
    await call('DELETE', `keys/${first.id}`);
    await call('DELETE', `keys/${first.id}`);
    expect(await events()).toEqual([
      changed(first.id, 'active'),
      changed(first.id, 'active'),
      changed(rotated.body.id, 'active'),
      changed(first.id, 'active'),
      changed(first.id, 'revoked'),
    ]);
  });

  it('a PATCH changes only the fields that it contains', async () => {
    const { key: _value, ...key } = await createKey();
    const stored = async () => (await call('GET', 'keys')).body.keys[0];
    const [expires_at, later] = [1, 2].map((days) =>
      new Date(account.clock.now().getTime() + days * DAY_MS).toISOString(),
    );
    const single: object[] = [
      { name: 'Other' },
      { scopes: ['dns'] },
      { allowed_addresses: ['192.0.2.0/24'] },
      { daily_credit_cap: 7 },
      { expires_at },
    ];
    let expected: object = key;
    for (const change of single) {
      expected = { ...expected, ...change };
      expect((await call('PATCH', `keys/${key.id}`, change)).body).toEqual(expected);
      expect(await stored()).toEqual(expected);
    }
    const all = { name: 'Third', scopes: ['ip'], allowed_addresses: [], expires_at: later };
    await call('PATCH', `keys/${key.id}`, { ...all, daily_credit_cap: null });
    expect(await stored()).toEqual({ ...expected, ...all, daily_credit_cap: null });
  });

  it('gateways are notified only of changes that affect how they check requests', async () => {
    const key = await createKey({ scopes: ['dns'], daily_credit_cap: 7 });
    const before = await events();
    const entries = () =>
      account.database.query('select action from audit where chain = $1', [owner.accountId]);
    const entriesBefore = await entries();
    expect(await call('PATCH', `keys/${key.id}`, {})).toMatchObject({ status: 200 });
    expect(await entries()).toEqual(entriesBefore);
    await call('PATCH', `keys/${key.id}`, { name: 'Other' });
    await call('PATCH', `keys/${key.id}`, { scopes: ['dns'], daily_credit_cap: 7 });
    expect(await events()).toEqual(before);
    const judged = [
      { scopes: ['ip'] },
      { allowed_addresses: ['192.0.2.0/24'] },
      { daily_credit_cap: null },
      { expires_at: new Date(account.clock.now().getTime() + DAY_MS).toISOString() },
    ];
    for (const change of judged) await call('PATCH', `keys/${key.id}`, change);
    expect(await events()).toEqual([...before, ...judged.map(() => changed(key.id, 'active'))]);
  });

  it.each([
    ['live', 100],
    ['test', 5],
  ])('parallel creations of %s keys do not exceed %d', async (environment, limit) => {
    const first = await createKey({ environment });
    await account.database.query(
      `insert into api_keys (id, account_id, environment, key_hash, last_four, name, scopes,
                             allowed_addresses, created_at, ranks_as)
       select n.id, account_id, environment, sha256(n.id::text::bytea), last_four, name, scopes,
              allowed_addresses, created_at, n.id
       from api_keys, (select gen_random_uuid() as id from generate_series(1, $2::int)) n
       where api_keys.id = $1`,
      [first.id, limit - 4],
    );
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => call('POST', 'keys', { name: 'Server', environment })),
    );
    const codes = answers.map(({ body: answer }) => answer.code ?? 'created').sort();
    expect(codes).toEqual([...Array(3).fill('created'), ...Array(3).fill('key_limit_reached')]);
    expect(answers.find(({ status }) => status === 403)?.body.limit).toBe(limit);
  });

  it('an account can create at most 200 keys a day, rotations included', async () => {
    const own = await createKey();
    await account.database.query(
      `insert into api_keys (id, account_id, environment, key_hash, last_four, name, scopes,
         allowed_addresses, created_at, ranks_as, revoked_at, revoked_because)
       select made, account_id, environment, sha256(made::text::bytea), last_four, name, scopes,
         allowed_addresses, created_at, made, created_at, 'owner'
       from api_keys, unnest($2::uuid[]) made where id = $1`,
      [own.id, Array.from({ length: 199 }, () => newId())],
    );
    const make = async () => (await call('POST', `keys/${own.id}/rotate`, { overlap: '7d' })).body;
    expect(await make()).toMatchObject({ code: 'key_limit_reached', limit: 200 });
    await account.database.query(
      `update api_keys set created_at = created_at - interval '1 day' where account_id = $1`,
      [owner.accountId],
    );
    expect(await make()).toMatchObject({ state: 'active' });
  });

  it('a live key has a rank that gateways use to pause it; test keys and keys in overlap have none', async () => {
    const live = await createKey();
    const test = await createKey({ environment: 'test' });
    const rotated = await call('POST', `keys/${live.id}/rotate`, { overlap: '7d' });
    const second = await createKey();
    expect([live.rank, test.rank, rotated.body.rank, second.rank]).toEqual([1, null, 1, 2]);
    const list = (await call('GET', 'keys')).body.keys as { id: string; rank: number | null }[];
    const ranks = Object.fromEntries(list.map(({ id, rank }) => [id, rank]));
    expect(ranks).toEqual({
      [live.id]: null,
      [test.id]: null,
      [rotated.body.id]: 1,
      [second.id]: 2,
    });
    expect(await recordOf(second.key)).toMatchObject({ rank: 2 });
    for (const [id, rank] of [
      [rotated.body.id, 2],
      [live.id, 1],
    ]) {
      expect((await call('DELETE', `keys/${id}`)).body.rank).toBe(null);
      expect(await recordOf(second.key)).toMatchObject({ rank });
    }
  });

  it('a repeated creation answers with the same id and without the key', async () => {
    const headers = { 'idempotency-key': newId() };
    const body = { name: 'Once', environment: 'live' };
    const create = (name = body.name) =>
      account.dashboard('POST', 'keys', { token: owner.token, headers, body: { ...body, name } });
    const first = await create();
    expect(first.body.key).toBeDefined();
    expect(await create()).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect((await create()).body.key).toBeUndefined();
    expect(await create('Twice')).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    expect((await call('GET', 'keys')).body.keys).toHaveLength(1);
    account.clock.advance(DAY_MS + 1);
    owner = { ...owner, token: await account.newSession(owner) };
    expect((await create('Twice')).body.name).toBe('Twice');
  });

  it.each(['rotate', 'reissue'])(
    'S5: a repeated %s answers with the same id and without the key',
    async (way) => {
      const { id } = await createKey();
      if (way === 'reissue') await call('DELETE', `keys/${id}`);
      const headers = { 'idempotency-key': newId() };
      const body = way === 'rotate' ? { overlap: '1h' } : {};
      const renew = () =>
        account.dashboard('POST', `keys/${id}/${way}`, { token: owner.token, headers, body });
      const { key: value, ...first } = (await renew()).body;
      expect(isWellFormedApiKey(value)).toBe(true);
      expect(await renew()).toMatchObject({ status: 201, body: first });
      expect((await renew()).body).not.toHaveProperty('key');
      expect(await account.dump()).not.toContain(value);
    },
  );

  it('of several parallel repeats, only one gets the key; the others get 201 without it, or 409', async () => {
    const headers = { 'idempotency-key': newId() };
    const body = { name: 'Once', environment: 'live' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        account.dashboard('POST', 'keys', { token: owner.token, headers, body }),
      ),
    );
    expect(answers.filter(({ body: answer }) => answer.key)).toHaveLength(1);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect((await call('GET', 'keys')).body.keys).toHaveLength(1);
  });

  it('S12: looking up a known, a revoked or an unknown key takes one statement', async () => {
    const [known, revoked] = [await createKey(), await createKey()];
    await call('DELETE', `keys/${revoked.id}`);
    const statements = account.statements((sql) => sql.includes('api_keys'));
    for (const value of [known.key, revoked.key, 'dds_live_unknown']) await recordOf(value);
    expect(statements.texts()).toHaveLength(3);
    expect(await recordOf('dds_live_unknown')).toBeNull();
  });

  it('S15: the last use is written at most once a minute', async () => {
    const key = await createKey();
    const lastUse = async () => (await call('GET', 'keys')).body.keys[0].last_used_at;
    await account.client.noteKeysUsed([key.id]);
    const first = await lastUse();
    expect(first).toBe(account.clock.now().toISOString());
    account.clock.advance(MINUTE_MS - 1);
    await account.client.noteKeysUsed([key.id]);
    expect(await lastUse()).toBe(first);
    account.clock.advance(1);
    await account.client.noteKeysUsed([key.id]);
    expect(await lastUse()).toBe(account.clock.now().toISOString());
  });

  it('S35: creating, changing, rotating and reissuing a key requires a recently entered password', async () => {
    const key = await createKey();
    account.clock.advance(10 * MINUTE_MS + 1);
    const refused = await Promise.all([
      call('POST', 'keys', { name: 'Late', environment: 'live' }),
      call('PATCH', `keys/${key.id}`, { scopes: ['whois'] }),
      call('POST', `keys/${key.id}/rotate`, { overlap: 'now' }),
      call('POST', `keys/${key.id}/reissue`),
    ]);
    expect(refused.map(({ body }) => body.code)).toEqual(
      Array(4).fill('reauthentication_required'),
    );
    expect((await call('DELETE', `keys/${key.id}`)).status).toBe(200);
  });

  it('S85: another account’s key gets the same answer as an unknown key', async () => {
    const key = await createKey();
    owner = await account.newOwner();
    for (const id of [key.id, newId(), 'none']) {
      const answers = await Promise.all([
        call('PATCH', `keys/${id}`, { name: 'Mine' }),
        call('POST', `keys/${id}/rotate`, { overlap: 'now' }),
        call('POST', `keys/${id}/reissue`),
        call('DELETE', `keys/${id}`),
        call('GET', `keys/${id}`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    }
    expect((await call('GET', 'keys')).body.keys).toEqual([]);
  });

  it.each([
    ['an unknown member', { name: 'A', environment: 'live', account_id: newId() }],
    ['an unknown scope', { name: 'A', environment: 'live', scopes: ['everything'] }],
    ['no scope', { name: 'A', environment: 'live', scopes: [] }],
    ['a host name', { name: 'A', environment: 'live', allowed_addresses: ['host.example'] }],
    ['a cap of zero', { name: 'A', environment: 'live', daily_credit_cap: 0 }],
    ['a control character', { name: 'A\r\nB', environment: 'live' }],
    ['a past expiry', { name: 'A', environment: 'live', expires_at: '2020-01-01T00:00:00Z' }],
    ['no zone', { name: 'A', environment: 'live', expires_at: '2030-01-01T12:00:00' }],
    ['no name', { environment: 'live' }],
    ['a blank name', { name: ' \u200d', environment: 'live' }],
    ['text as a cap', { name: 'A', environment: 'live', daily_credit_cap: '5' }],
  ])('S90, S91: %s in a creation is rejected and creates nothing', async (_, body) => {
    const answer = await call('POST', 'keys', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await call('GET', 'keys')).body.keys).toEqual([]);
  });

  it('the change feed names the account whose key changed', async () => {
    const { token, cursor } = await account.client.changes();
    await createKey();
    const page = await account.client.changes(cursor);
    expect(page).toMatchObject({ token, keys: [owner.accountId] });
  });
});
