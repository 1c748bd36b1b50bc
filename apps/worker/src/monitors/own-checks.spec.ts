import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MonitorAnswer, MonitorChecks, MonitorEventsAnswer } from '#libs/contracts';
import { HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WatchedWorld } from '../../../../test/worker/watched-world.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';

const SLOTS = { domain: 5, brand: 0, registrant: 0 };
const NOTHING: Partial<MonitorChecks> = {
  dns_checked_at: null,
  whois_checked_at: null,
  expiry_date: null,
  expiry_published: null,
  dns_problem: null,
  problem: null,
};

describe('the checks that a monitor shows', () => {
  const under = new WorkerUnderTest();
  const world = new WatchedWorld();
  let names = 0;

  beforeAll(async () => {
    await world.start();
    await under.start(world.url);
  });
  afterAll(async () => {
    await under.stop();
    await world.stop();
  });

  let accountId: string;
  beforeEach(() => beSomebodyElse());

  function beSomebodyElse(): void {
    accountId = newId();
    under.entitlement.monitors.set(accountId, SLOTS);
  }
  function newName(): string {
    const name = `own-${++names}.com`;
    world.register(name, { expiry_date: '2030-01-01' });
    world.resolve(name, { A: ['192.0.2.1'] });
    return name;
  }
  const call = <T = MonitorAnswer>(method: 'GET' | 'POST', rest: string, body?: object) =>
    under.gateway.call<T>(method, `/internal/monitors${rest}`, { accountId, body });
  const watch = (domainName: string) => call('POST', '', { kind: 'domain', domainName });
  const checksOf = async (id: string) => (await call('GET', `/${id}`)).checks!;
  /**
   * Expects the results of the monitor's own checks. The worker's own job may have made the first check in the
   * meantime.
   */
  function expectOwn(checks: MonitorChecks | undefined): void {
    const now = under.clock.now().toISOString();
    expect([null, now]).toContain(checks!.dns_checked_at);
    expect([null, now]).toContain(checks!.whois_checked_at);
    expect(checks).toMatchObject({ dns_problem: null, problem: null });
    if (checks!.whois_checked_at === null) expect(checks).toMatchObject({ expiry_date: null });
    expect(Date.parse(checks!.dns_due_at!)).toBeGreaterThanOrEqual(Date.parse(now));
  }
  const checked = (id: string) =>
    waitFor('the results of both checks', async () => {
      await under.checkNames();
      const checks = await checksOf(id);
      const isChecked = checks.dns_checked_at !== null && checks.whois_checked_at !== null;
      return isChecked ? checks : undefined;
    });

  it('a monitor does not show when its name was checked for another account, or what problem occurred', async () => {
    const name = newName();
    const { id: first } = await watch(name);
    await checked(first);
    under.clock.advance(24 * HOUR_MS);
    world.answerTo('whois', name, { outcome: 'timeout', problem: problemOf('upstream_timeout') });
    await waitFor('a failure', async () => {
      await under.checkNames();
      return (await checksOf(first)).problem !== null;
    });
    world.register(name, { expiry_date: '2030-01-01' });
    under.clock.advance(MINUTE_MS);
    beSomebodyElse();
    const { id, checks } = await watch(name);
    expectOwn(checks);
    // The other account need not wait for the end of the pause after the failure.
    const now = under.clock.now().toISOString();
    expect(await checked(id)).toMatchObject({ dns_checked_at: now, whois_checked_at: now });
  });

  it('a paused monitor does not show checks made for others', async () => {
    const name = newName();
    const { id } = await watch(name);
    await checked(id);
    const paused = await call('POST', `/${id}/pause`);
    expect(paused.checks).toMatchObject({ ...NOTHING, dns_due_at: null, whois_due_at: null });
    const owner = accountId;
    beSomebodyElse();
    const other = await watch(name);
    under.clock.advance(MINUTE_MS);
    await checked(other.id);
    accountId = owner;
    expect(await checksOf(id)).toMatchObject(NOTHING);
    under.clock.advance(MINUTE_MS);
    const resumed = await call('POST', `/${id}/resume`);
    expectOwn(resumed.checks);
    const now = under.clock.now().toISOString();
    expect(await checked(id)).toMatchObject({ dns_checked_at: now, expiry_date: '2030-01-01' });
  });

  it('a monitor reports no change from before its creation, even if the name was watched for another account', async () => {
    const name = newName();
    const { id: first } = await watch(name);
    await checked(first);
    await call('POST', `/${first}/pause`);
    const change = (day: string, address: string) => {
      world.register(name, { expiry_date: day });
      world.resolve(name, { A: [address] });
    };
    const looks = () => [world.count('dns', name), world.count('whois', name)];
    change('2031-01-01', '192.0.2.2');
    under.clock.advance(240 * HOUR_MS);
    beSomebodyElse();
    const { id } = await watch(name);
    await checked(id);
    under.clock.advance(10 * MINUTE_MS);
    await under.checkNames();
    change('2032-01-01', '192.0.2.3');
    const [dns, whois] = looks();
    under.clock.advance(24 * HOUR_MS);
    await waitFor('the first check of the change', async () => {
      await under.checkNames();
      return looks()[0] > dns && looks()[1] > whois;
    });
    under.clock.advance(10 * MINUTE_MS);
    const changes = await waitFor('both changes', async () => {
      await under.checkNames();
      const { events } = await call<MonitorEventsAnswer>('GET', `/${id}/events`);
      const all = events.flatMap((event) => event.changes ?? []);
      return all.length > 1 ? all : undefined;
    });
    expect(changes.map(({ before, after }) => [before, after]).toSorted()).toEqual([
      [['192.0.2.2'], ['192.0.2.3']],
      [['2031-01-01'], ['2032-01-01']],
    ]);
  });

  it('the monitors of one account share their checks, and another monitor causes no more', async () => {
    const name = newName();
    const { id } = await watch(name);
    const { dns_checked_at: at } = await checked(id);
    under.clock.advance(HOUR_MS);
    const looks = world.count('dns', name);
    const { checks } = await watch(name);
    expect(checks).toMatchObject({ dns_checked_at: at, expiry_date: '2030-01-01' });
    await under.checkNames();
    expect(world.count('dns', name)).toBe(looks);
  });

  it('a failure of either check is described in a sentence until a check succeeds', async () => {
    const name = newName();
    for (const kind of ['dns', 'whois'] as const) {
      const code = kind === 'dns' ? 'resolver_timeout' : 'a_new_code';
      world.answerTo(kind, name, { outcome: 'timeout', problem: problemOf(code) });
    }
    const { id } = await watch(name);
    const failed = await waitFor('both failures', async () => {
      await under.checkNames();
      const checks = await checksOf(id);
      return checks.dns_problem !== null && checks.problem !== null ? checks : undefined;
    });
    expect(failed).toMatchObject({
      dns_checked_at: null,
      dns_problem: 'resolver_timeout',
      dns_problem_detail: 'The name servers did not answer in time.',
      problem: 'a_new_code',
      problem_detail: 'The check got no usable answer.',
    });
    world.register(name, { expiry_date: '2030-01-01' });
    world.resolve(name, {});
    under.clock.advance(30 * MINUTE_MS);
    expect(await checked(id)).toMatchObject({ dns_problem: null, problem: null });
  });
});

const problemOf = (code: string) => ({ code, detail: 'It failed.' });
