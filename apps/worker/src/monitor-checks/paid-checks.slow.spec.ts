import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MonitorAnswer } from '#libs/contracts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, newId } from '#libs/platform';
import { makeOwnFolder, waitFor } from '#test/environment';
import { CorpusUnderTest } from '../../../../test/corpus/corpus-under-test.js';
import { WatchedWorld } from '../../../../test/worker/watched-world.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { PaidChecksQueue } from './paid-checks-queue.js';
import { COLLECTED_SECONDS, PaidChecksService } from './paid-checks.service.js';

const SLOTS = { domain: 5, brand: 0, registrant: 0 };

describe('checks beyond the plan', () => {
  const under = new WorkerUnderTest();
  const world = new WatchedWorld();
  let corpus: CorpusUnderTest;
  let accountId: string;
  let names = 0;

  beforeAll(async () => {
    await world.start();
    corpus = await CorpusUnderTest.start({
      suppressionsPath: join(makeOwnFolder('suppressed'), 'list'),
    });
    await under.start(world.url, { corpusUrl: corpus.url });
    corpus.clock.set(under.clock.now());
  });
  afterAll(async () => {
    await under.stop();
    await corpus?.stop();
    await world.stop();
  });
  beforeEach(() => {
    accountId = newId();
    under.entitlement.monitors.set(accountId, SLOTS);
  });

  const get = <T>(type: new (...parts: never[]) => T) =>
    under.worker.app.get<T>(type as never, { strict: false });
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', rest: string, body?: object) =>
    under.gateway.call<MonitorAnswer>(method, `/internal/monitors${rest}`, { accountId, body });
  const watch = async (domainName: string, interval_minutes: number) =>
    call('POST', '', { kind: 'domain', domainName, interval_minutes });
  async function dryRun(method: 'POST' | 'PATCH', rest: string, body: object) {
    // The dashboard passes the text on as its client wrote it; Python writes `True`.
    const { status, text } = await under.send(method, `/internal/monitors${rest}?dry_run=True`, {
      accountId,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status, body: JSON.parse(text) as MonitorAnswer };
  }
  function newName(): string {
    const name = `paid-${++names}.com`;
    world.register(name, { expiry_date: '2030-01-01' });
    world.resolve(name, { A: ['192.0.2.1'] });
    return name;
  }

  async function look(name: string, afterMs: number): Promise<void> {
    const before = world.count('dns', name);
    under.clock.advance(afterMs);
    // Services check the times of tokens against their own clocks.
    corpus.clock.set(under.clock.now());
    await waitFor(`a look at ${name}`, async () => {
      await under.checkNames();
      return world.count('dns', name) > before;
    });
  }
  async function expectNoLook(name: string, afterMs: number): Promise<void> {
    const before = world.count('dns', name);
    under.clock.advance(afterMs);
    corpus.clock.set(under.clock.now());
    await under.checkNames();
    expect(world.count('dns', name)).toBe(before);
  }
  /** Charges everything that can be charged. @returns the credits that the account has paid in total. */
  async function paid(): Promise<number> {
    under.clock.advance(2 * MINUTE_MS);
    // One call charges a single row. The worker may have closed a row while another row was open.
    let again: number | undefined;
    do again = await get(PaidChecksService).charge(accountId);
    while (again === COLLECTED_SECONDS);
    return under.entitlement.charged(accountId);
  }

  it('the price of paid checks is known in advance, and they run at the chosen interval and are charged once each', async () => {
    const name = newName();
    const wanted = { kind: 'domain', domainName: name, interval_minutes: 15 };
    const dry = await dryRun('POST', '', wanted);
    const price = { credits_per_check: 1, credits_per_day_max: 92, is_short_of_credits: false };
    expect(dry).toMatchObject({ status: 200, body: { watches: { interval_minutes: 15 }, price } });
    await expect(call('GET', `/${dry.body.id}`)).rejects.toMatchObject({ status: 404 });
    expect(await watch(name, 15)).toMatchObject({ price });
    await look(name, 0);
    expect(await paid()).toBe(0);
    for (let n = 0; n < 3; n += 1) await look(name, 15 * MINUTE_MS);
    expect(await paid()).toBe(3);
    await Promise.all([1, 2].map(async () => get(PaidChecksService).charge(accountId)));
    expect(await paid()).toBe(3);
    // One check in six hours is included.
    await look(name, 6 * HOUR_MS);
    expect(await paid()).toBe(3);
  });

  it('a dry run states price, shortfall and rejection, and changes nothing', async () => {
    const { id } = await watch(newName(), 360);
    under.entitlement.balances.set(accountId, 2);
    const often = { interval_minutes: 15 };
    const priced = { status: 200, body: { price: { credits_per_day_max: 92, shortfall: 90 } } };
    expect(await dryRun('PATCH', `/${id}`, often)).toMatchObject(priced);
    expect((await call('GET', `/${id}`)).price).toBeUndefined();
    const wanted = { kind: 'domain', domainName: newName(), ...often };
    expect(await dryRun('POST', '', wanted)).toMatchObject(priced);
    under.entitlement.recallable = 30;
    const less = { body: { price: { credits_per_day_max: 92, shortfall: 60 } } };
    expect(await dryRun('PATCH', `/${id}`, often)).toMatchObject(less);
    under.entitlement.recallable = 0;
    under.entitlement.monitors.set(accountId, { ...SLOTS, domain: 1 });
    const refused = { status: 403, body: { code: 'monitor_limit_reached', limit: 1 } };
    expect(await dryRun('POST', '', wanted)).toMatchObject(refused);
    // A monitor that already counts towards the limit needs no additional slot.
    expect(await dryRun('PATCH', `/${id}`, often)).toMatchObject({ status: 200 });
  });

  it('a paid check without an answer is free, and each account pays for its own checks', async () => {
    const name = newName();
    await watch(name, 30);
    const one = accountId;
    accountId = newId();
    under.entitlement.monitors.set(accountId, SLOTS);
    await watch(name, 360);
    await look(name, 0);
    await look(name, 30 * MINUTE_MS);
    expect(await paid()).toBe(0);
    accountId = one;
    expect(await paid()).toBe(1);
    world.answerTo('dns', name, { outcome: 'timeout' });
    await look(name, 30 * MINUTE_MS);
    expect(await paid()).toBe(1);
  });

  it('all monitors of an account for one name share its paid checks, and a new monitor causes no extra check', async () => {
    const name = newName();
    await watch(name, 30);
    await look(name, 0);
    const looks = world.count('dns', name);
    await watch(name, 30);
    await under.checkNames();
    expect(world.count('dns', name)).toBe(looks);
    await look(name, 30 * MINUTE_MS);
    expect(await paid()).toBe(1);
    const price = (await watch(name, 300)).price;
    expect(price).toMatchObject({ credits_per_day_max: 3 });
  });

  it('paid checks continue from the included ones if a monitor’s interval is shortened', async () => {
    const name = newName();
    const { id } = await call('POST', '', { kind: 'domain', domainName: name });
    await look(name, 0);
    const looks = world.count('dns', name);
    await call('PATCH', `/${id}`, { interval_minutes: 30 });
    await under.checkNames();
    expect(world.count('dns', name)).toBe(looks);
    await look(name, 30 * MINUTE_MS);
    expect(await paid()).toBe(1);
  });

  it('a longer interval, a pause or a removal also ends the paid checks that have been scheduled', async () => {
    const name = newName();
    await call('POST', '', { kind: 'domain', domainName: name });
    const { id } = await watch(name, 10);
    await look(name, 0);
    const soon = { interval_minutes: 10 };
    const changes = [
      async () => call('PATCH', `/${id}`, { interval_minutes: 360 }),
      async () => call('POST', `/${id}/pause`),
      async () => call('DELETE', `/${id}`),
    ];
    for (const change of changes) {
      await change();
      await expectNoLook(name, 11 * MINUTE_MS);
      await call('POST', `/${id}/resume`).catch(() => undefined);
      await call('PATCH', `/${id}`, soon).catch(() => undefined);
    }
    await look(name, 6 * HOUR_MS);
    expect(await paid()).toBe(0);
  });

  it('paid checks stop when credits run out, and resume when the amount owed is paid', async () => {
    const name = newName();
    under.entitlement.balances.set(accountId, 0);
    const { id } = await watch(name, 10);
    await look(name, 0);
    await look(name, 10 * MINUTE_MS);
    expect(await paid()).toBe(0);
    expect((await call('GET', `/${id}`)).price).toMatchObject({ is_short_of_credits: true });
    await expectNoLook(name, HOUR_MS);
    under.entitlement.balances.set(accountId, 100);
    expect(await paid()).toBe(1);
    expect((await call('GET', `/${id}`)).price).toMatchObject({ is_short_of_credits: false });
    await look(name, 0);
    expect(await paid()).toBe(2);
  });

  it('paid checks resume once the debt is paid, even by a charge that began before the debt arose', async () => {
    const { entitlement } = under;
    await get(PaidChecksQueue).pause(under.database, HOUR_MS / SECOND_MS);
    const name = newName();
    entitlement.balances.set(accountId, 0);
    await watch(name, 10);
    await look(name, 0);
    await look(name, 10 * MINUTE_MS);
    under.clock.advance(2 * MINUTE_MS);
    const asked = () => entitlement.calls.filter((call) => call === 'POST /internal/holds').length;
    const before = asked();
    const gate = Promise.withResolvers<void>();
    entitlement.gate = gate.promise;
    const charge = () => get(PaidChecksService).charge(accountId);
    const early = charge();
    await waitFor('its question', () => asked() > before);
    entitlement.gate = undefined;
    await charge();
    await expectNoLook(name, 8 * MINUTE_MS);
    entitlement.balances.set(accountId, 100);
    gate.resolve();
    // On a slow machine, the monitor's interval may be over already.
    await early.catch(charge);
    await look(name, 0);
    expect(await paid()).toBe(2);
    await get(PaidChecksQueue).pause(under.database, 0);
  });

  it('only domain monitors have paid checks, and suppressed names are not checked', async () => {
    const brand = { kind: 'brand', keyword: 'paid', interval_minutes: 10 };
    await expect(call('POST', '', brand)).rejects.toMatchObject({ code: 'invalid_request' });
    const name = newName();
    await corpus.operate.suppress({ kind: 'domain', value: name });
    await watch(name, 10);
    corpus.clock.set(under.clock.now());
    await under.checkNames();
    expect([world.count('dns', name), world.count('whois', name)]).toEqual([0, 0]);
  });
});
