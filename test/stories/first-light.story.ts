import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { Database, auditorRole, checkInvariants, withClient } from '#libs/database';
import { DAY_MS, MINUTE_MS } from '#libs/platform';
import { waitFor } from '#test/environment';
import { ENTITLEMENT_INVARIANTS } from '../../apps/entitlement/src/auditor/invariants.js';
import { type Answer, Customer } from './customer.js';
import type { Deployment } from './deployment.js';
import { operate, override } from './connections.js';

const EMAIL = 'ada@story.example';
/** A name that is too long to occur in random ids and ciphertexts by chance. */
const FIRST_NAME = 'Ada of the Story';

/**
 * Everything that a customer without purchases does, using only HTTP: sign-up, key, lookups, limits, credits, rotation,
 * revocation, deletion, restoration and erasure. Each step builds on the previous ones.
 */
export function firstLight(deployed: () => Deployment): void {
  let deployment: Deployment;
  let customer: Customer;
  let names = 0;
  /** Returns a name that has not been looked up before, because a repeated lookup within 60 s would be free. */
  const freshName = () => `story-${++names}.com`;
  /** Looks up names until the API answers with this status. */
  const lookUpUntil = (status: number, key = customer.key) =>
    waitFor(`a lookup with status ${status}`, async () => {
      const answer = await customer.lookUp(freshName(), 2, key);
      return answer.status === status ? answer : undefined;
    });

  beforeAll(() => {
    deployment = deployed();
    customer = new Customer(deployment, EMAIL, FIRST_NAME);
  });

  it('after a confirmed sign-up, the customer has a session, a live key, a test key and 500 credits', async () => {
    await customer.join();
    expect(customer.key).toMatch(/^dds_live_/);
    expect(customer.testKey).toMatch(/^dds_test_/);
    expect(await waitFor('the trial credits', () => customer.spendable())).toBe(500);
  });

  it('a live lookup works in both versions, and states its price and the remaining credits', async () => {
    const v2 = await customer.lookUp(freshName());
    expect([v2.status, v2.body.domain_registered]).toEqual([200, 'yes']);
    expect(v2.body.meta).toMatchObject({ credits_charged: 1, credits_remaining: 499 });
    expect(Object.fromEntries(v2.headers)).toMatchObject({
      'x-credits-cost': '1',
      'x-credits-remaining': '499',
      'ratelimit-policy': '"live";q=10;w=60',
      'x-ratelimit-allowed-requests': '10',
      'x-ratelimit-remaining-requests': '9',
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(v2.headers.get('x-request-id')).toBe(v2.body.meta.request_id);
    const v1 = await customer.lookUp(freshName(), 1);
    expect([v1.status, v1.body.domain_registered]).toEqual([200, 'yes']);
    expect(v1.body).not.toHaveProperty('meta');
    expect(Object.fromEntries(v1.headers)).toMatchObject({
      'x-credits-cost': '1',
      'x-credits-remaining': '498',
    });
    expect(v1.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(v1.headers.get('link')).toContain('successor-version');
  });

  it('the same request within a minute costs nothing', async () => {
    const name = freshName();
    expect((await customer.lookUp(name)).headers.get('x-credits-cost')).toBe('1');
    expect((await customer.lookUp(name)).headers.get('x-credits-cost')).toBe('0');
  });

  it('"not registered" is a charged answer; a throttled registry gives no answer, which costs nothing', async () => {
    const free = await customer.lookUp('free-story.com');
    expect([free.status, free.body.domain_registered]).toEqual([200, 'no']);
    expect(free.headers.get('x-credits-cost')).toBe('1');
    const throttled = await customer.lookUp('throttled-story.org');
    expect([throttled.status, throttled.body.code]).toEqual([503, 'upstream_throttled']);
    expect(throttled.body.credits_charged).toBe(0);
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('a test key gets only fixtures, free of charge', async () => {
    const fixture = await customer.lookUp('registered.test', 2, customer.testKey);
    expect([fixture.status, fixture.headers.get('x-credits-cost')]).toEqual([200, '0']);
    const other = await customer.lookUp('example.com', 2, customer.testKey);
    expect([other.status, other.body.code]).toEqual([422, 'test_key_fixture_only']);
  });

  it('a 429 with credits left costs nothing, and says when to retry', async () => {
    const answers: Answer[] = [];
    for (let i = 0; i < 12; i++) answers.push(await customer.lookUp(freshName()));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({
      status: 429,
      code: 'rate_limited',
      credits_charged: 0,
      retryable: true,
    });
    expect(refused?.headers.get('x-credits-cost')).toBe('0');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(10);
    expect((await customer.call('GET', '/api/balance')).body.spendable).toBeGreaterThan(400);
  });

  it('the ledger shows how the credits were used, and adds up to the balance', async () => {
    const { status, body } = await customer.get(`/v2.0/account/credits?apiKey=${customer.key}`);
    expect([status, body.ledger.at(-1)]).toMatchObject([200, { kind: 'grant', amount: 500 }]);
    const { spendable, leased, pending, frozen, debt } = body.balance;
    const sum = body.ledger.reduce(
      (total: number, line: { amount: number }) => total + line.amount,
      0,
    );
    expect(sum).toBe(spendable + leased + pending + frozen - debt);
  });

  it('the API answers 402 after exactly as many answers as there were credits', async () => {
    await override(deployment, customer, { name: 'live', value: 1_000_000 });
    await waitFor('the override', async () => (await customer.liveLimit()) === 1_000_000);
    // Most credits are revoked, so that the rest is used up sooner.
    const revocation = { revocationId: randomUUID(), amount: 350, reason: 'story' };
    await operate(deployment, customer, 'revocations', revocation);
    // The gateway knows its own charges before entitlement does, but is informed of the revocation only with its next
    // lease.
    const before = await waitFor('the smaller balance', async () => {
      const { headers } = await customer.lookUp(freshName());
      const left = Number(headers.get('x-credits-remaining'));
      return left < 150 ? left : undefined;
    });
    let served = 0;
    let refusal: Answer | undefined;
    while (!refusal && served <= before) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => customer.lookUp(freshName())),
      );
      served += answers.filter(({ status }) => status === 200).length;
      refusal = answers.find(({ status }) => status === 402);
      // Requests in progress may have reserved the last credits, and may still return them. On a busy machine, the
      // registry's answer may be late. Both cost nothing.
      const others = answers.filter(
        ({ status, body }) =>
          ![200, 402].includes(status) && !['credits_busy', 'upstream_timeout'].includes(body.code),
      );
      expect(others.map(({ body }) => body.code)).toEqual([]);
    }
    expect(served).toBe(before);
    expect(refusal?.body).toMatchObject({
      status: 402,
      code: 'insufficient_credits',
      credits_charged: 0,
    });
    await customer.waitForCredits(0);
  });

  it('lookups continue after an operator grants credits', async () => {
    const grant = { adjustmentId: randomUUID(), amount: 10_000, reason: 'story' };
    await operate(deployment, customer, 'grants', grant);
    await customer.waitForCredits(10_000);
    await lookUpUntil(200);
  });

  it('after a rotation, the old key works until the overlap ends', async () => {
    const old = customer.key;
    const { body } = await customer.call('GET', '/api/keys');
    const { id } = body.keys.find((key: { environment: string }) => key.environment === 'live');
    const rotated = await customer.call('POST', `/api/keys/${id}/rotate`, { overlap: '1h' });
    expectStatus(rotated, 201);
    customer.key = rotated.body.key;
    expectStatus(await customer.lookUp(freshName()), 200);
    expectStatus(await customer.lookUp(freshName(), 2, old), 200);
    deployment.clock.advance(61 * MINUTE_MS);
    await lookUpUntil(401, old);
    expectStatus(await customer.lookUp(freshName()), 200);
  });

  it('a revoked key is refused, and another key replaces it', async () => {
    const { body } = await customer.call('GET', '/api/keys');
    const { id } = body.keys.find(
      (key: { environment: string; state: string }) =>
        key.environment === 'live' && key.state === 'active',
    );
    expectStatus(await customer.call('DELETE', `/api/keys/${id}`), 200);
    await lookUpUntil(401);
    await reauthenticate();
    const created = await customer.call('POST', '/api/keys', {
      name: 'Second',
      environment: 'live',
    });
    expectStatus(created, 201);
    customer.key = created.body.key;
    await lookUpUntil(200);
  });

  it('a key that may manage keys does so through the API, and the owner gets e-mails', async () => {
    const { body } = await customer.call('GET', '/api/keys');
    const [{ id }] = body.keys;
    const scopes = ['whois', 'keys:write'];
    expectStatus(await customer.call('PATCH', `/api/keys/${id}`, { scopes }), 200);
    const all = '/v2.0/account/keys';
    const rotated = await waitFor('the new scope', async () => {
      const answer = await customer.api('POST', `${all}/${id}/rotate`, { overlap: 'now' });
      return answer.status === 403 ? undefined : answer;
    });
    expect(rotated.status).toBe(201);
    customer.key = rotated.json().key;
    await lookUpUntil(200);
    await customer.mailed('An API key was rotated');
    const created = await customer.api('POST', all, { name: 'Third', environment: 'live' });
    expect([created.status, created.json().scopes]).toEqual([201, ['whois']]);
    const third = created.json().id;
    expect((await customer.api('DELETE', `${all}/${third}`)).status).toBe(200);
    const listed = (await customer.api('GET', all)).json();
    expect(listed.keys[0]).toMatchObject({ id: third, state: 'revoked' });
    await customer.mailed('An API key was revoked');
  });

  it('a deleted account gets 403 and can use only the restore page', async () => {
    await reauthenticate();
    expectStatus(await customer.call('POST', '/api/account/delete', {}), 200);
    const refused = await lookUpUntil(403);
    expect(refused.body).toMatchObject({ code: 'account_deleted', credits_charged: 0 });
    expectStatus(await customer.call('GET', '/api/keys'), 401);
    await customer.logIn();
    expectStatus(await customer.call('GET', '/api/keys'), 403);
    expect(await eventsSaid()).toContain('account.account-deleted');
  });

  it('an account that is restored on day 89 has its credits again, and its keys once they are reissued', async () => {
    deployment.clock.advance(89 * DAY_MS);
    await customer.logIn();
    expectStatus(await customer.call('POST', '/api/account/restore', {}), 200);
    await customer.logIn();
    const { body } = await customer.call('GET', '/api/keys');
    const ended = body.keys.find(
      (key: { environment: string; name: string }) =>
        key.environment === 'live' && key.name === 'Second',
    );
    expect(ended.state).toBe('revoked');
    const reissued = await customer.call('POST', `/api/keys/${ended.id}/reissue`, {});
    expectStatus(reissued, 201);
    customer.key = reissued.body.key;
    await lookUpUntil(200);
    expect(await customer.spendable()).toBeGreaterThan(9_900);
  });

  it('91 days after another deletion, the account is erased and cannot be restored, and its key is unknown', async () => {
    await customer.logIn();
    expectStatus(await customer.call('POST', '/api/account/delete', {}), 200);
    deployment.clock.advance(91 * DAY_MS);
    const logIn = await customer.logIn();
    const restore = await customer.call('POST', '/api/account/restore', {});
    expect([401, 403, 410]).toContain(restore.status);
    expect(logIn.status === 200 && restore.status === 200).toBe(false);
    await waitFor(
      'the erasure',
      async () => (await eventsSaid()).includes('account.account-erased'),
      150_000,
    );
    await lookUpUntil(401);
    await waitFor('401 at the log-in', async () => (await customer.logIn()).status === 401);
  });

  it('S118: after erasure, no table contains the customer’s name or e-mail address', async () => {
    await waitFor('the last e-mail to be sent', async () =>
      withClient(deployment.superuserUrl, async (client) => {
        const { rowCount } = await client.query('select from account.mail');
        return rowCount === 0;
      }),
    );
    const dump = await everyText();
    expect(dump).toContain(customer.accountId);
    for (const personal of [EMAIL, FIRST_NAME]) {
      expect(dump).not.toContain(personal);
      // Columns of bytes are dumped in hexadecimal digits.
      expect(dump).not.toContain(Buffer.from(personal).toString('hex'));
    }
  });

  it('S3, S8, S119: no table, event, e-mail or log line contains a key, and no log line contains an e-mail address or a password', async () => {
    const log = deployment.log();
    const mails = await deployment.mailbox.newest(100);
    expect(mails.length).toBeGreaterThan(2);
    const sinks = (await everyText()) + JSON.stringify(mails) + log;
    expect(sinks).not.toMatch(/dds_(live|test)_[0-9A-Za-z]{36}/);
    for (const prefix of ['dds_live_', 'dds_test_']) {
      expect(sinks).not.toContain(Buffer.from(prefix).toString('hex'));
    }
    expect(log).not.toContain('@story.example');
    expect(log).not.toContain('correct horse');
  });

  it('every invariant holds at the end', async () => {
    const auditor = await Database.open({
      url: deployment.databaseUrl(auditorRole('entitlement')),
      applicationName: 'story',
    });
    const broken = await checkInvariants(auditor, ENTITLEMENT_INVARIANTS);
    await auditor.close();
    expect(broken).toEqual([]);
  });

  async function reauthenticate(): Promise<void> {
    const answer = await customer.call('POST', '/api/session/reauthenticate', {
      password: customer.password,
    });
    expect(answer.status).toBeLessThan(300);
  }

  async function eventsSaid(): Promise<string[]> {
    return withClient(deployment.superuserUrl, async (client) => {
      const { rows } = await client.query('select type from account.outbox where key = $1', [
        customer.accountId,
      ]);
      return rows.map(({ type }) => type as string);
    });
  }

  async function everyText(): Promise<string> {
    return withClient(deployment.superuserUrl, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        // Partitions are read through their parent table, because a partition may be dropped in the meantime.
        `select oid::regclass::text as name from pg_class
         where relkind in ('r', 'p') and not relispartition and relnamespace::regnamespace::text
           in ('account', 'billing', 'corpus', 'entitlement', 'gateway', 'worker')`,
      );
      const texts: string[] = [];
      for (const { name } of rows) {
        const table = await client.query<{ text: string }>(`select t::text as text from ${name} t`);
        texts.push(...table.rows.map(({ text }) => text));
      }
      return texts.join('\n');
    });
  }
}

/** Expects a status and, for a refusal, a code; the error message of a failure contains both. */
function expectStatus({ status, body }: Answer, expected: number): void {
  expect([status, body?.code]).toEqual([expected, expected < 400 ? undefined : expect.any(String)]);
}
