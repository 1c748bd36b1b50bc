import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { request } from 'undici';
import { AccountErased, ApiKeyChanged, type EventClass } from '#libs/contracts';
import { Outbox } from '#libs/messaging';
import { HOUR_MS, Logger, monotonicMs } from '#libs/platform';
import { TestClock, TestDatabase, waitFor } from '#test/environment';
import { AccountStandIn } from '../../../../test/stand-ins/account-stand-in.js';
import { EraseLogsJob } from '../request-log/erase-logs.job.js';
import { GatewayHarness } from '../../../../test/stand-ins/gateway-harness.js';
import { HARNESS_SECRET } from '../../../../test/stand-ins/harness-secret.js';
import type { RunningGateway } from '../start.js';
import { AuthCache } from './auth-cache.js';
import { ChangePollers } from './change-pollers.js';

let database: TestDatabase;
let around: GatewayHarness;
let gateway: RunningGateway;
const clock = new TestClock();

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayHarness(database);
  await around.start();
  gateway = await around.startGateway({}, clock);
});

afterAll(async () => {
  await around?.stop();
  await database?.drop();
});

let asked = 0;

/** Looks up a new name with this key. @returns the status. */
async function statusFor(apiKey: string): Promise<number> {
  const path = `/v2.0/whois/live?domainName=name${asked++}.example`;
  const { statusCode, body } = await request(gateway.apiUrl + path, {
    headers: { 'x-api-key': apiKey },
  });
  await body.dump();
  return statusCode;
}

describe('cached keys and allowances', () => {
  it('records are fetched once and then served from memory', async () => {
    const { apiKey } = around.account.addKey();
    const before = around.account.keyQueries;
    for (let i = 0; i < 5; i++) expect(await statusFor(apiKey)).toBe(200);
    expect(around.account.keyQueries).toBe(before + 1);
  });

  it('S13: a revoked key is refused as soon as the change feed names its account', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    expect(await statusFor(apiKey)).toBe(200);
    keyRecord.state = 'revoked';
    expect(await statusFor(apiKey)).toBe(200);
    around.account.feed.name(keyRecord.accountId);
    await waitFor('the refusal', async () => (await statusFor(apiKey)) === 401);
  });

  it('a changed allowance is fetched again when entitlement’s feed names the account', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.entitlement.limits.set(keyRecord.accountId, 1);
    expect(await statusFor(apiKey)).toBe(200);
    expect(await statusFor(apiKey)).toBe(429);
    around.entitlement.limits.set(keyRecord.accountId, 500);
    around.entitlement.feed.name(keyRecord.accountId);
    await waitFor('the new limit', async () => (await statusFor(apiKey)) === 200);
  });

  it('a new token of a change feed clears the cache, because the database was replaced', async () => {
    const { apiKey } = around.account.addKey();
    expect(await statusFor(apiKey)).toBe(200);
    around.account.feed.token = 'restored from a backup';
    await waitFor('everything to be dropped', () => gateway.authCache.size === 0);
  });

  it.each<[what: string, drop: (cache: AuthCache, accountId: string) => void]>([
    ['names its account', (cache, accountId) => cache.drop(accountId)],
    ['clears the cache', (cache) => cache.dropAll()],
  ])(
    'S13: a load is discarded and repeated if a change feed %s in the meantime',
    async (_what, drop) => {
      const { apiKey, keyRecord } = around.account.addKey();
      const before = around.account.keyQueries;
      around.account.beforeAnswer = () => {
        around.account.beforeAnswer = undefined;
        keyRecord.state = 'revoked';
        drop(gateway.authCache, keyRecord.accountId);
      };
      expect(await statusFor(apiKey)).toBe(401);
      expect(around.account.keyQueries).toBe(before + 2);
    },
  );

  it('records are not served past validUntil, nor keys past their expiry', async () => {
    const inOneHour = new Date(clock.now().getTime() + 3_600_000).toISOString();
    around.entitlement.validUntil = inOneHour;
    const { apiKey, keyRecord } = around.account.addKey();
    expect(await statusFor(apiKey)).toBe(200);
    around.entitlement.validUntil = undefined;
    around.entitlement.blocks.set(keyRecord.accountId, [
      { cause: 'admin', blocks: ['api'], from: inOneHour },
    ]);
    const { apiKey: expiring } = around.account.addKey({ expiresAt: inOneHour });
    expect(await statusFor(expiring)).toBe(200);
    clock.advance(3_599_000);
    expect([await statusFor(apiKey), await statusFor(expiring)]).toEqual([200, 200]);
    clock.advance(1_000);
    expect([await statusFor(apiKey), await statusFor(expiring)]).toEqual([403, 401]);
  });

  it('S13: if the feeds stay silent for longer than the grace period, cached entries are no longer served', async () => {
    const { apiKey } = around.account.addKey();
    expect(await statusFor(apiKey)).toBe(200);
    around.account.isDown = true;
    try {
      expect(await statusFor(apiKey)).toBe(200);
      await waitFor('the refusal', async () => {
        // A poll that is still running may extend the validity once more.
        gateway.authCache.trustUntil(0);
        return (await statusFor(apiKey)) === 503;
      });
    } finally {
      around.account.isDown = false;
    }
    await waitFor('the key to be known again', async () => {
      const status = await statusFor(apiKey);
      return status === 200 && gateway.authCache.size > 0;
    });
  });

  it('S13: records are served for at most 60 seconds after either feed has stopped answering', async () => {
    const { apiKey } = around.account.addKey();
    const { account, entitlement } = gateway.services;
    const keyPepper = around.environment().KEY_PEPPER;
    const authCache = new AuthCache({ account, entitlement, clock, keyPepper });
    const logger = new Logger('feeds', { write: () => {} });
    const poll = async () => {
      const sources = [
        { name: 'account', changes: async () => account.changes() },
        { name: 'entitlement', changes: async () => entitlement.changes() },
      ];
      // After its first poll, each feed is silent.
      const pollers = new ChangePollers({ authCache, sources, logger, intervalMs: HOUR_MS });
      const askedMs = monotonicMs();
      await pollers.start();
      await pollers.stop();
      return { askedMs, answeredMs: monotonicMs() };
    };
    around.entitlement.isDown = true;
    const { askedMs: early } = await poll();
    around.entitlement.isDown = false;
    await authCache.load(apiKey);
    expect(authCache.find(apiKey, early)).toBeUndefined();
    const { askedMs, answeredMs } = await poll();
    await authCache.load(apiKey);
    expect(authCache.find(apiKey, askedMs + 60_000)).toBeDefined();
    expect(authCache.find(apiKey, answeredMs + 60_001)).toBeUndefined();
  });

  it('S14: a key is rejected at its daily cap and accepted again the next UTC day', async () => {
    clock.set('2026-05-05T23:59:00Z');
    const { apiKey } = around.account.addKey({ dailyCreditCap: 2 });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await statusFor(apiKey));
    expect(statuses).toEqual([200, 200, 402]);
    clock.set('2026-05-06T00:00:00Z');
    expect(await statusFor(apiKey)).toBe(200);
  });

  it('S14: the successor of a rotated key continues its predecessor’s count', async () => {
    const first = around.account.addKey({ dailyCreditCap: 2 });
    expect(await statusFor(first.apiKey)).toBe(200);
    const { accountId, keyId } = first.keyRecord;
    const capLine = { id: keyId, keyIds: [keyId] };
    const rotated = around.account.addKey({ accountId, dailyCreditCap: 2, capLine });
    expect([await statusFor(rotated.apiKey), await statusFor(rotated.apiKey)]).toEqual([200, 402]);
    expect(await statusFor(first.apiKey)).toBe(402);
  });

  it('S14: a key with a cap cannot be used before its usage on that day has been read', async () => {
    const { apiKey } = around.account.addKey({ dailyCreditCap: 2 });
    const { account, entitlement } = gateway.services;
    const read = Promise.withResolvers<void>();
    const asked: object[] = [];
    const beforeUse = async (key: object) => {
      asked.push(key);
      await read.promise;
    };
    const keyPepper = around.environment().KEY_PEPPER;
    const cache = new AuthCache({ account, entitlement, clock, keyPepper, beforeUse });
    cache.trustUntil(Infinity);
    const loads = [cache.load(apiKey), cache.load(apiKey)];
    await waitFor('the query for the spent credits', () => asked.length > 0);
    expect(asked).toEqual([expect.objectContaining({ dailyCreditCap: 2 })]);
    expect(cache.find(apiKey, 0)).toBeUndefined();
    read.resolve();
    const [first, second] = await Promise.all(loads);
    expect(second).toBe(first);
    expect(cache.find(apiKey, 0)).toBe(first);
  });

  it('S14: a key with a cap is rejected while its usage cannot be read, and reading is retried', async () => {
    const { apiKey } = around.account.addKey({ dailyCreditCap: 2 });
    const { account, entitlement } = gateway.services;
    const answers = [Promise.reject(new Error('the database is down')), Promise.resolve()];
    answers[0].catch(() => {});
    const cache = new AuthCache({
      account,
      entitlement,
      clock,
      keyPepper: around.environment().KEY_PEPPER,
      beforeUse: async () => answers.shift(),
    });
    cache.trustUntil(Infinity);
    expect(await cache.load(apiKey)).toMatchObject({ status: 503 });
    expect(cache.find(apiKey, 0)).toBeUndefined();
    expect(await cache.load(apiKey)).toMatchObject({ dailyCreditCap: 2 });
    expect(answers).toEqual([]);
  });
});

describe('events', () => {
  /** Publishes an event as account does: through the outbox and the relay. */
  async function say<T extends object>(event: EventClass<T>, accountId: string, data: T) {
    const account = await database.service('account');
    const outbox = new Outbox('account', clock, around.transport);
    await account.transaction(async (transaction) => {
      const lock = await outbox.lock(transaction, {
        key: accountId,
        aggregate: `account:${accountId}`,
      });
      await outbox.add(transaction, lock, event, data);
    });
  }

  beforeAll(async () => {
    await around.transport.startRelay('account', await database.maintenance('account'));
  });

  afterAll(async () => {
    await around.transport.close();
  });

  it('a changed key is dropped at once, before the change feed reports it', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    expect(await statusFor(apiKey)).toBe(200);
    keyRecord.state = 'revoked';
    await say(ApiKeyChanged, keyRecord.accountId, { keyId: keyRecord.keyId, state: 'revoked' });
    await waitFor('the refusal', async () => (await statusFor(apiKey)) === 401);
  });

  it('S118: an erased account leaves no row of its requests', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const { accountId } = keyRecord;
    const auditor = await database.auditor('gateway');
    const rows = async () =>
      auditor.query('select from request_log where account_id = $1', [accountId]);
    expect(await statusFor(apiKey)).toBe(200);
    await waitFor('the row', async () => (await rows()).length === 1);
    keyRecord.accountState = 'erased';
    await say(AccountErased, accountId, { erasedAt: clock.now().toISOString() });
    await waitFor('the rows to be deleted', async () => {
      await gateway.app.get(EraseLogsJob).runOnce();
      return (await rows()).length === 0;
    });
    await waitFor('the refusal', async () => (await statusFor(apiKey)) === 401);
  });
});

describe('a cache that is full', () => {
  it('S13: a revoked key is refused even if its account was evicted to make room for it', async () => {
    const { account, entitlement } = gateway.services;
    const cache = new AuthCache({
      account,
      entitlement,
      clock,
      keyPepper: HARNESS_SECRET,
      keysMax: 2,
    });
    cache.trustUntil(Infinity);
    const { apiKey: oldest, keyRecord } = around.account.addKey();
    const { apiKey: others } = around.account.addKey();
    const { apiKey: newest } = around.account.addKey({ accountId: keyRecord.accountId });
    for (const apiKey of [oldest, others, newest]) await cache.load(apiKey);
    expect(cache.size).toBe(2);
    expect(cache.find(newest, 0)).toBeDefined();
    cache.drop(keyRecord.accountId);
    expect(cache.find(newest, 0)).toBeUndefined();
  });
});

describe('an address from which invalid keys arrive', () => {
  it('S17: in a flood of unknown keys from one address, only as many are looked up as may fail, and a cached key is still accepted', async () => {
    // The address must have no earlier failures; otherwise, its minute would end during the flood.
    gateway = await around.startGateway(
      { GATEWAY_FAILED_KEYS_MAX: '20', GATEWAY_JOURNAL: join(around.folder, 'flood.journal') },
      clock,
    );
    const { apiKey } = around.account.addKey();
    expect(await statusFor(apiKey)).toBe(200);
    const stranger = new AccountStandIn('another pepper');
    const before = around.account.keyQueries;
    const statuses = new Map<number, number>();
    for (let i = 0; i < 200; i++) {
      const status = await statusFor(stranger.addKey().apiKey);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(around.account.keyQueries - before).toBeLessThanOrEqual(20);
    expect(statuses.get(429)).toBeGreaterThanOrEqual(180);
    // A client at the same address is still served if its key is cached.
    expect(await statusFor(apiKey)).toBe(200);
  });
});
