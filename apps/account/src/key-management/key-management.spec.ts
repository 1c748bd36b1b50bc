import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountKeysAnswer, type IssuedAccountKeyAnswer, SCOPES } from '#libs/contracts';
import { DAY_MS, HOUR_MS, faultsOf, newId } from '#libs/platform';
import { AccountUnderTest, type Registered } from '../../../../test/account/account-under-test.js';

const EMAIL = 'keys@example.com';
const KEY = { name: 'Server', environment: 'live' };

describe('keys managed with a key', () => {
  let account: AccountUnderTest;
  let owner: Registered;
  let caller: IssuedAccountKeyAnswer;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
    owner = await account.register(EMAIL);
  });
  afterAll(() => account.stop());
  beforeEach(async () => {
    caller = await onDashboard({ scopes: ['whois', 'dns', 'keys:write'] });
  });

  async function onDashboard(settings: object): Promise<IssuedAccountKeyAnswer> {
    const token = await account.newSession(owner);
    const body = { ...KEY, name: 'Caller', ...settings };
    const answer = await account.dashboard('POST', 'keys', { body, token });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }

  async function call(
    method: 'GET' | 'POST' | 'DELETE',
    path = '',
    { body, by = caller.id, key }: { body?: object; by?: string; key?: string } = {},
  ) {
    const answer = await account.service.app.inject({
      method,
      url: `/internal/account/keys${path}`,
      payload: body,
      headers: {
        authorization: `Bearer ${account.tokenOf('gateway')}`,
        'x-account-id': owner.accountId,
        'x-key-id': by,
        'x-request-id': newId(),
        'x-client-address': '192.0.2.9',
        ...(key && { 'idempotency-key': key }),
      },
    });
    return { status: answer.statusCode, body: answer.json() };
  }
  const create = (body: object = {}, by?: string) =>
    call('POST', '', { body: { ...KEY, ...body }, by });
  const rotate = (id: string, body: object = {}, by?: string) =>
    call('POST', `/${id}/rotate`, { body: { overlap: '24h', ...body }, by });
  const refused = (status: number, code: string) => ({ status, body: { code } });
  const newestMail = async () => (await account.mailsTo(EMAIL))[0];

  it('S131: a new key gets the settings of the calling key except `keys:write`, and the owner an e-mail', async () => {
    const { status, body } = await create();
    expect([status, body]).toMatchObject([
      201,
      { status: true, state: 'active', scopes: ['whois', 'dns'], expires_at: null },
    ]);
    expect(body.key).toMatch(/^dds_live_/);
    const { subject, text } = (await newestMail())!;
    expect(subject).toBe('An API key was created with another key');
    expect(text).toContain(`${body.masked} was created with your key “Caller” (${caller.masked})`);
    // A thief's text must not reach the owner.
    for (const absent of [body.key, 'Server']) expect(text).not.toContain(absent);
    const { body: listed } = await call('GET');
    expect(faultsOf(AccountKeysAnswer, listed)).toEqual([]);
    expect(listed.keys[0]).toMatchObject({ id: body.id, masked: body.masked });
    expect(JSON.stringify(listed)).not.toContain(body.key);
  });

  it('S116: the entry names the calling key as the actor, and where it was used', async () => {
    const { body } = await create();
    const [entry] = await account.database.query<{ actor: string; action: string }>(
      'select actor, action, origin is not null as "hasOrigin" from audit where object = $1',
      [`key:${body.id}`],
    );
    expect(entry).toEqual({ actor: `key:${caller.id}`, action: 'key.created', hasOrigin: true });
  });

  it.each<[string, object]>([
    ['a scope that it lacks', { scopes: ['whois', 'files'] }],
    ['the scope `keys:write`', { scopes: ['whois', 'keys:write'] }],
  ])('S131: a key cannot create a key with %s', async (_, settings) => {
    expect(await create(settings)).toMatchObject(refused(403, 'key_rights_exceeded'));
  });

  it('S131: a key with an expiry time or allowed addresses cannot create a key without them', async () => {
    const now = account.clock.now().getTime();
    const ends = new Date(now + DAY_MS).toISOString();
    const bound = { allowed_addresses: ['192.0.2.0/24'], expires_at: ends };
    const { id } = await onDashboard({ scopes: ['whois', 'keys:write'], ...bound });
    const refusal = refused(403, 'key_rights_exceeded');
    expect(await create({ expires_at: null }, id)).toMatchObject(refusal);
    expect(await create({ allowed_addresses: [] }, id)).toMatchObject(refusal);
    expect(await create({}, id)).toMatchObject({ status: 201, body: bound });
  });

  it('a new key has the settings that the request contains', async () => {
    const wanted = {
      environment: 'test',
      scopes: ['dns'],
      allowed_addresses: ['192.0.2.0/24'],
      daily_credit_cap: 7,
      expires_at: new Date(account.clock.now().getTime() + DAY_MS).toISOString(),
    };
    const { body } = await create(wanted);
    expect(body).toMatchObject({ ...wanted, name: KEY.name });
    expect(body.key).toMatch(/^dds_test_/);
  });

  it('a new key or a replacement that would already have expired is refused', async () => {
    const past = { expires_at: account.clock.now().toISOString() };
    const refusal = refused(400, 'invalid_request');
    expect(await create(past)).toMatchObject(refusal);
    expect(await rotate(caller.id, past)).toMatchObject(refusal);
  });

  it('S131: a capped key creates no key and rotates only itself, and a key without other scopes has none to give', async () => {
    const capped = await onDashboard({ scopes: ['whois', 'keys:write'], daily_credit_cap: 5 });
    const other = await onDashboard({ scopes: ['whois'] });
    const refusal = refused(403, 'key_rights_exceeded');
    expect(await create({}, capped.id)).toMatchObject(refusal);
    expect(await rotate(other.id, {}, capped.id)).toMatchObject(refusal);
    const successor = { status: 201, body: { daily_credit_cap: 5 } };
    expect(await rotate(capped.id, {}, capped.id)).toMatchObject(successor);
    const bare = await onDashboard({ scopes: ['keys:write'] });
    expect(await create({}, bare.id)).toMatchObject(refusal);
  });

  it('S131: a key rotates itself, is told of a later expiry, and can then change no keys until its replacement is revoked', async () => {
    const ends = new Date(account.clock.now().getTime() + DAY_MS).toISOString();
    const old = await onDashboard({ scopes: ['whois', 'keys:write'], expires_at: ends });
    const rotated = await rotate(old.id, { expires_at: null }, old.id);
    expect(rotated).toMatchObject({
      status: 201,
      body: { scopes: ['whois', 'keys:write'], expires_at: null },
    });
    expect((await newestMail())!.text).toContain('never expires');
    for (const method of ['POST', 'DELETE'] as const) {
      const path = method === 'POST' ? '' : `/${rotated.body.id}`;
      const answer = await call(method, path, {
        body: method === 'POST' ? KEY : undefined,
        by: old.id,
      });
      expect(answer).toMatchObject(refused(409, 'key_not_active'));
      expect(answer.body.detail).toContain('calling key');
    }
    const token = await account.newSession(owner);
    await account.dashboard('DELETE', `keys/${rotated.body.id}`, { token });
    expect((await create({}, old.id)).status).toBe(201);
  });

  it('S131: a key rotates another key only if that key has no more rights, before and after', async () => {
    const stronger = await onDashboard({ scopes: [...SCOPES] });
    const weaker = await onDashboard({ scopes: ['dns'] });
    const refusal = refused(403, 'key_rights_exceeded');
    expect(await rotate(stronger.id)).toMatchObject(refusal);
    const rotated = await rotate(weaker.id);
    expect(rotated).toMatchObject({ status: 201, body: { scopes: ['dns'] } });
    const { text } = (await newestMail())!;
    for (const { masked } of [weaker, caller, rotated.body]) expect(text).toContain(masked);
    const ends = new Date(account.clock.now().getTime() + HOUR_MS).toISOString();
    const ending = await onDashboard({ scopes: ['dns', 'keys:write'], expires_at: ends });
    const alike = await onDashboard({ scopes: ['dns'], expires_at: ends });
    expect(await rotate(alike.id, { expires_at: null }, ending.id)).toMatchObject(refusal);
  });

  it.each(['creation', 'rotation'])(
    'S5: a repeated %s returns the same id without the key',
    async (what) => {
      const key = newId();
      const ask = () =>
        what === 'creation'
          ? call('POST', '', { body: KEY, key })
          : call('POST', `/${caller.id}/rotate`, { body: { overlap: '24h' }, key });
      const { status, body } = await ask();
      const { key: value, ...rest } = body;
      expect([status, value]).toEqual([201, expect.any(String)]);
      expect(await ask()).toEqual({ status, body: rest });
      expect(await account.dump()).not.toContain(value);
    },
  );

  it('of two rotations of a key by itself at the same time, one is made', async () => {
    const answers = await Promise.all([rotate(caller.id), rotate(caller.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('a key is revoked once, with one e-mail', async () => {
    const { body } = await create();
    const before = (await account.mailsTo(EMAIL)).length;
    for (let i = 0; i < 2; i++) {
      const revoked = { status: 200, body: { status: true, state: 'revoked' } };
      expect(await call('DELETE', `/${body.id}`)).toMatchObject(revoked);
    }
    expect((await account.mailsTo(EMAIL)).length).toBe(before + 1);
  });

  it('S85: a key of another account is neither found nor accepted as the calling key', async () => {
    const { token } = await account.newOwner();
    const answer = await account.dashboard('POST', 'keys', {
      body: { ...KEY, scopes: ['whois', 'keys:write'] },
      token,
    });
    const { id } = answer.body;
    expect(await rotate(id)).toMatchObject(refused(404, 'not_found'));
    expect(await call('DELETE', `/${id}`)).toMatchObject(refused(404, 'not_found'));
    expect(await create({}, id)).toMatchObject(refused(409, 'key_not_active'));
    expect(await create({}, 'none')).toMatchObject(refused(400, 'invalid_request'));
  });

  it('S131: a key that has lost the scope, or was revoked, is rejected before the gateway knows', async () => {
    const token = await account.newSession(owner);
    await account.dashboard('PATCH', `keys/${caller.id}`, { body: { scopes: ['whois'] }, token });
    expect(await create()).toMatchObject(refused(403, 'scope_denied'));
    await account.dashboard('DELETE', `keys/${caller.id}`, { token });
    expect(await create()).toMatchObject(refused(409, 'key_not_active'));
    expect(await create({}, newId())).toMatchObject(refused(409, 'key_not_active'));
  });

  it('S131: a key has `keys:write` only if the owner selects it', async () => {
    expect((await onDashboard({})).scopes).not.toContain('keys:write');
    const { keys } = (await call('GET')).body;
    const first = keys.find(({ name }: { name: string }) => name === 'First key');
    expect(first.scopes).not.toContain('keys:write');
  });

  it('S131: a key that has created many keys in a day leaves some to the owner', async () => {
    await account.database.query(
      `update api_keys set created_at = created_at - interval '1 day' where id <> $1`,
      [caller.id],
    );
    await account.database.query(
      `insert into api_keys (id, account_id, environment, key_hash, last_four, name, scopes,
         allowed_addresses, created_at, ranks_as, revoked_at, revoked_because)
       select made, account_id, environment, sha256(made::text::bytea), last_four, name, scopes,
         allowed_addresses, created_at, made, created_at, 'owner'
       from api_keys, unnest($2::uuid[]) made where id = $1`,
      [caller.id, Array.from({ length: 148 }, () => newId())],
    );
    const limited = { status: 403, body: { code: 'key_limit_reached', limit: 150 } };
    expect((await create()).status).toBe(201);
    expect(await create()).toMatchObject(limited);
    expect(await rotate(caller.id)).toMatchObject(limited);
    expect(await onDashboard({})).toMatchObject({ state: 'active' });
  });

  it('a deleted account can neither create nor rotate keys', async () => {
    const token = await account.newSession(owner);
    await account.dashboard('POST', 'account/delete', { token });
    const refusal = refused(403, 'account_deleted');
    expect(await create()).toMatchObject(refusal);
    expect(await rotate(caller.id)).toMatchObject(refusal);
  });
});
