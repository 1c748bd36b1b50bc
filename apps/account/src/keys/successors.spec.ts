import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ApiKeyChanged, type IssuedKeyAnswer, hashApiKey } from '#libs/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/platform';
import { AccountUnderTest, type Owner } from '../../../../test/account/account-under-test.js';
import { ExpireKeysJob } from '../key-records/expire-keys.job.js';
import { KeyRecordMaintenanceRepository } from '../key-records/key-records.repository.js';

describe('the successor of a key', () => {
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

  it('the successor of a rotated key has the same expiry unless a new expiry is given', async () => {
    const [soon, later] = [1, 9].map((days) =>
      new Date(account.clock.now().getTime() + days * DAY_MS).toISOString(),
    );
    account.clock.advance(HOUR_MS);
    owner = { ...owner, token: await account.newSession(owner) };
    const rotate = async (body: object) => {
      const { id } = await createKey({ expires_at: soon });
      const answer = await call('POST', `keys/${id}/rotate`, { overlap: '7d', ...body });
      return answer.body.expires_at;
    };
    expect(await rotate({})).toBe(soon);
    expect(await rotate({ expires_at: later })).toBe(later);
    expect(await rotate({ expires_at: null })).toBe(null);
    const past = { overlap: 'now', expires_at: '2020-01-01T00:00:00Z' };
    const { id } = await createKey();
    expect((await call('POST', `keys/${id}/rotate`, past)).body.code).toBe('invalid_request');
  });

  it('S6: a rotated key works until its overlap ends, and not afterwards', async () => {
    const old = await createKey({ scopes: ['dns'], daily_credit_cap: 7 });
    for (const overlap of ['8d', '169h', '-1h']) {
      expect((await call('POST', `keys/${old.id}/rotate`, { overlap })).status).toBe(400);
    }
    const { body } = await call('POST', `keys/${old.id}/rotate`, { overlap: '24h' });
    const end = new Date(account.clock.now().getTime() + DAY_MS).toISOString();
    expect(await recordOf(old.key)).toMatchObject({ state: 'active', expiresAt: end, rank: 1 });
    expect(await recordOf(body.key)).toMatchObject({
      state: 'active',
      rank: 1,
      scopes: ['dns'],
      dailyCreditCap: 7,
    });
    account.clock.advance(DAY_MS);
    await account.get(ExpireKeysJob).runOnce();
    expect(await recordOf(old.key)).toMatchObject({ state: 'revoked' });
    expect((await events()).at(-1)).toEqual(changed(old.id, 'revoked'));
  });

  it('S14: the keys of one chain of rotations share one daily cap', async () => {
    const first = await createKey({ daily_credit_cap: 7 });
    const { body: second } = await call('POST', `keys/${first.id}/rotate`, { overlap: 'now' });
    const capLine = { id: first.id, keyIds: [first.id, second.id] };
    expect(await recordOf(second.key)).toMatchObject({ dailyCreditCap: 7, capLine });
    account.clock.advance(DAY_MS);
    owner = { ...owner, token: await account.newSession(owner) };
    const { body: third } = await call('POST', `keys/${second.id}/rotate`, { overlap: '1h' });
    const record = await recordOf(third.key);
    expect(record?.capLine?.id).toBe(first.id);
    expect(record?.capLine?.keyIds.sort()).toEqual([second.id, third.id].sort());
    expect(await recordOf((await createKey()).key)).not.toHaveProperty('capLine');
  });

  it('S6: a rotated key that expires before its overlap ends does not work for longer', async () => {
    const soon = new Date(account.clock.now().getTime() + HOUR_MS).toISOString();
    const old = await createKey({ expires_at: soon });
    await call('POST', `keys/${old.id}/rotate`, { overlap: '24h', expires_at: null });
    expect(await recordOf(old.key)).toMatchObject({ expiresAt: soon });
  });

  it('S6: with the overlap "now", the old key is revoked at once', async () => {
    const old = await createKey();
    await call('POST', `keys/${old.id}/rotate`, { overlap: 'now' });
    expect(await recordOf(old.key)).toMatchObject({ state: 'revoked', rank: 0 });
  });

  it('S6: after repeated rotations only two keys work, however long the overlap is', async () => {
    const issued = [await createKey()];
    for (let i = 0; i < 4; i++) {
      const { body } = await call('POST', `keys/${issued.at(-1)?.id}/rotate`, { overlap: '7d' });
      issued.push(body);
    }
    const records = await Promise.all(issued.map(({ key }) => recordOf(key)));
    expect(records.map((found) => found?.state)).toEqual([
      'revoked',
      'revoked',
      'revoked',
      'active',
      'active',
    ]);
    const ends = (await events()).filter(({ data }) => data.state === 'revoked');
    expect(ends).toEqual(issued.slice(0, 3).map(({ id }) => changed(id, 'revoked')));
  });

  it('the successor of a rotated key keeps the rank, so that a rotation pauses no key', async () => {
    const [first, second] = [await createKey(), await createKey()];
    const { body } = await call('POST', `keys/${first.id}/rotate`, { overlap: '7d' });
    const ranks = [body, second, first].map(async (issued) => (await recordOf(issued.key))?.rank);
    expect(await Promise.all(ranks)).toEqual([1, 2, 1]);
  });

  it('rotating a paused key does not make it work: in its overlap, it has the rank of its successor', async () => {
    const [, second] = [await createKey(), await createKey()];
    const { body } = await call('POST', `keys/${second.id}/rotate`, { overlap: '7d' });
    const ranks = [second, body].map(async (issued) => (await recordOf(issued.key))?.rank);
    expect(await Promise.all(ranks)).toEqual([2, 2]);
  });

  it.each(['is revoked', 'expires'])(
    'if its successor %s during the overlap, the old key counts again, so that another key does not get its place',
    async (how) => {
      const old = await createKey();
      const soon = new Date(account.clock.now().getTime() + HOUR_MS).toISOString();
      const wish = { overlap: '7d', ...(how === 'expires' && { expires_at: soon }) };
      const { body: successor } = await call('POST', `keys/${old.id}/rotate`, wish);
      if (how === 'is revoked') await call('DELETE', `keys/${successor.id}`);
      else {
        account.clock.advance(HOUR_MS);
        await account.get(ExpireKeysJob).runOnce();
        owner = { ...owner, token: await account.newSession(owner) };
      }
      const other = await createKey();
      const ranks = [old, other].map(async ({ key }) => (await recordOf(key))?.rank);
      expect(await Promise.all(ranks)).toEqual([1, 2]);
      expect((await call('GET', `keys/${old.id}`)).body).toMatchObject({
        state: 'active',
        rank: 1,
      });
      expect((await call('POST', `keys/${old.id}/rotate`, { overlap: 'now' })).status).toBe(201);
    },
  );

  it('an expired key that cannot be retired does not stop another from being retired', async () => {
    const soon = (minutes: number) =>
      new Date(account.clock.now().getTime() + minutes * MINUTE_MS).toISOString();
    await createKey({ expires_at: soon(1) });
    const other = await createKey({ expires_at: soon(2) });
    account.clock.advance(HOUR_MS);
    const expire = jest
      .spyOn(account.get(KeyRecordMaintenanceRepository), 'expire')
      .mockRejectedValueOnce(new Error('no connection'));
    await expect(account.get(ExpireKeysJob).runOnce()).rejects.toThrow('failed');
    expire.mockRestore();
    expect(await recordOf(other.key)).toMatchObject({ state: 'revoked' });
    await account.get(ExpireKeysJob).runOnce();
  });

  it('a revoked key can be reissued once, with the scopes and allowed addresses of the old key', async () => {
    const key = await createKey({ scopes: ['ip'], allowed_addresses: ['192.0.2.0/24'] });
    const early = await call('POST', `keys/${key.id}/reissue`);
    expect(early.body.code).toBe('key_not_reissuable');
    await call('DELETE', `keys/${key.id}`);
    const { body } = await call('POST', `keys/${key.id}/reissue`);
    expect(body).toMatchObject({ scopes: ['ip'], allowed_addresses: ['192.0.2.0/24'] });
    const again = await call('POST', `keys/${key.id}/reissue`);
    expect(again).toMatchObject({ status: 409, body: { code: 'key_not_reissuable' } });
  });

  it('a reissued key keeps the expiry of the old key; if that has passed, a new expiry must be given', async () => {
    const soon = new Date(account.clock.now().getTime() + HOUR_MS).toISOString();
    const later = new Date(account.clock.now().getTime() + 9 * DAY_MS).toISOString();
    const [revoked, first, second] = [
      await createKey({ expires_at: soon }),
      await createKey({ expires_at: soon }),
      await createKey({ expires_at: soon }),
    ];
    await call('DELETE', `keys/${revoked.id}`);
    expect((await call('POST', `keys/${revoked.id}/reissue`)).body.expires_at).toBe(soon);
    account.clock.advance(HOUR_MS);
    owner = { ...owner, token: await account.newSession(owner) };
    const silent = await call('POST', `keys/${first.id}/reissue`);
    expect(silent).toMatchObject({ status: 400, body: { errors: [{ field: 'expires_at' }] } });
    const limited = await call('POST', `keys/${first.id}/reissue`, { expires_at: later });
    expect(limited.body.expires_at).toBe(later);
    const unlimited = await call('POST', `keys/${second.id}/reissue`, { expires_at: null });
    expect(unlimited.body.expires_at).toBe(null);
  });

  it('a key that is revoked, expired or replaced can be neither changed nor rotated', async () => {
    const soon = new Date(account.clock.now().getTime() + HOUR_MS).toISOString();
    const [revoked, expiring, replaced] = [
      await createKey(),
      await createKey({ expires_at: soon }),
      await createKey(),
    ];
    await call('DELETE', `keys/${revoked.id}`);
    await call('POST', `keys/${replaced.id}/rotate`, { overlap: '7d' });
    account.clock.advance(HOUR_MS);
    owner = { ...owner, token: await account.newSession(owner) };
    for (const key of [revoked, expiring, replaced]) {
      const update = await call('PATCH', `keys/${key.id}`, { name: 'New' });
      const rotation = await call('POST', `keys/${key.id}/rotate`, { overlap: 'now' });
      expect([update.body.code, rotation.body.code]).toEqual(['key_not_active', 'key_not_active']);
    }
  });
});
