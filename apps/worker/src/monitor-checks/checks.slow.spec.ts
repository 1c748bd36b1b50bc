import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MonitorAnswer, MonitorEvent, MonitorEventsAnswer } from '#libs/contracts';
import { HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { WatchedWorld } from '../../../../test/worker/watched-world.js';
import { CheckDnsJob, CheckWhoisJob } from './check-names.job.js';
import { RemindExpiriesJob } from './remind-expiries.job.js';

const SLOTS = { domain: 5, brand: 2, registrant: 2 };

describe('checks of watched domains', () => {
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
  beforeEach(() => {
    accountId = newId();
    under.entitlement.monitors.set(accountId, SLOTS);
  });

  const get = <T>(type: new (...parts: never[]) => T) =>
    under.worker.app.get<T>(type as never, { strict: false });
  const call = <T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', rest: string, body?: object) =>
    under.gateway.call<T>(method, `/internal/monitors${rest}`, { accountId, body });
  const newName = () => `watched-${++names}.com`;
  const watch = (domainName: string) =>
    call<MonitorAnswer>('POST', '', { kind: 'domain', domainName });
  const shown = (id: string) => call<MonitorAnswer>('GET', `/${id}`);
  const eventsOf = async (id: string): Promise<MonitorEvent[]> =>
    (await call<MonitorEventsAnswer>('GET', `/${id}/events`)).events;

  async function untilAsked(kind: 'dns' | 'whois', name: string, times: number): Promise<void> {
    await waitFor(`${times} questions about ${kind} of ${name}`, async () => {
      await under.checkNames();
      return world.count(kind, name) >= times;
    });
  }
  async function nextLook(kind: 'dns' | 'whois', name: string, afterMs: number): Promise<void> {
    const times = world.count(kind, name) + 1;
    under.clock.advance(afterMs);
    await untilAsked(kind, name, times);
  }
  async function firstLook(name: string): Promise<void> {
    await untilAsked('dns', name, 1);
    await untilAsked('whois', name, 1);
  }

  it('one check serves all accounts that watch a name, and the first check reports no change', async () => {
    const name = newName();
    world.register(name, { expiry_date: '2030-01-01', name_servers: ['ns1.example.net'] });
    world.resolve(name, { A: ['192.0.2.1'] });
    const mine = await watch(`https://www.${name}/`);
    expect(mine).toMatchObject({ state: 'active', watches: { domain_name: name } });
    expect(mine.checks).toMatchObject({ dns_checked_at: null, expiry_published: null });
    await watch(name);
    await firstLook(name);
    expect([world.count('dns', name), world.count('whois', name)]).toEqual([1, 1]);
    expect(world.calls.at(-1)).toMatchObject({ priority: 'monitor', maxAgeSeconds: 0 });
    await waitFor('the expiry', async () => {
      const { checks } = await shown(mine.id);
      return checks?.expiry_date === '2030-01-01' && checks.expiry_published === true;
    });
    expect(await eventsOf(mine.id)).toEqual([]);
  });

  it('a DNS change is reported once a second check confirms it, and advances the registration check', async () => {
    const name = newName();
    world.register(name, { registrant_contact: { name: 'Alex Sample' }, domain_status: ['ok'] });
    world.resolve(name, { A: ['192.0.2.1'], NS: ['ns1.example.net'] });
    const [one, other] = [await watch(name), await watch(name)];
    const paused = await watch(name);
    await call('POST', `/${paused.id}/pause`);
    await firstLook(name);
    world.resolve(name, { A: ['192.0.2.1'], NS: ['ns1.example.org'] });
    await nextLook('dns', name, 6 * HOUR_MS);
    expect(await eventsOf(one.id)).toEqual([]);
    const looks = world.count('whois', name);
    await nextLook('dns', name, 10 * MINUTE_MS);
    for (const { id } of [one, other]) {
      const [event, ...more] = await eventsOf(id);
      expect(more).toEqual([]);
      expect(event).toMatchObject({
        type: 'domain.changed',
        domain_name: name,
        changes: [
          {
            type: 'dns_ns',
            path: 'dns.NS',
            before: ['ns1.example.net'],
            after: ['ns1.example.org'],
          },
        ],
      });
    }
    expect(await eventsOf(paused.id)).toEqual([]);
    await untilAsked('whois', name, looks + 1);
  });

  it('a momentary change is not reported, and a value that changes back and forth is reported at most twice a day', async () => {
    const name = newName();
    const at = (address: string) => world.resolve(name, { A: [address] });
    world.register(name, {});
    at('192.0.2.1');
    const { id } = await watch(name);
    await firstLook(name);
    at('192.0.2.66');
    await nextLook('dns', name, 6 * HOUR_MS);
    at('192.0.2.1');
    await nextLook('dns', name, 10 * MINUTE_MS);
    expect(await eventsOf(id)).toEqual([]);
    for (const address of ['192.0.2.2', '192.0.2.1', '192.0.2.2', '192.0.2.1']) {
      at(address);
      await nextLook('dns', name, 6 * HOUR_MS);
      await nextLook('dns', name, 10 * MINUTE_MS);
    }
    const told = await eventsOf(id);
    expect(told.map(({ changes }) => changes![0].is_flapping ?? false)).toEqual([true, false]);
  });

  it('registrations are compared by their published values, without storing personal ones, and a partial answer removes no value', async () => {
    const name = newName();
    const contact = { name: 'Alex Sample', email_address: 'alex@example.com' };
    world.register(name, { registrant_contact: contact, expiry_date: '2030-01-01' });
    world.resolve(name, {});
    const { id } = await watch(name);
    await firstLook(name);
    const partial = { domain_name: name, domain_registered: 'yes', expiry_date: '2030-01-01' };
    world.answerTo('whois', name, { outcome: 'partial', body: partial });
    await nextLook('whois', name, 24 * HOUR_MS);
    await nextLook('whois', name, 24 * HOUR_MS);
    expect(await eventsOf(id)).toEqual([]);
    world.register(name, {
      registrant_contact: { name: 'Robin Other' },
      expiry_date: '2031-01-01',
    });
    await nextLook('whois', name, 24 * HOUR_MS);
    await nextLook('whois', name, 10 * MINUTE_MS);
    const [{ changes }] = await eventsOf(id);
    expect(changes!.map(({ type, before, after }) => [type, before, after])).toEqual([
      ['registrant', ['published'], ['published']],
      ['registrant', ['published'], []],
      ['expiry', ['2030-01-01'], ['2031-01-01']],
    ]);
    const kept = await under.database.query(
      `select w.*, array(select details from monitor_events e where e.domain_name = w.name) as details
       from watched_names w where name = $1`,
      [name],
    );
    expect(JSON.stringify(kept)).toContain('2031-01-01');
    expect(JSON.stringify(kept)).not.toMatch(/Alex|alex|Robin/);
    world.answerTo('whois', name, {
      outcome: 'not_registered',
      body: { domain_name: name, domain_registered: 'no' },
    });
    await nextLook('whois', name, 24 * HOUR_MS);
    await nextLook('whois', name, 10 * MINUTE_MS);
    const [dropped] = await eventsOf(id);
    expect(dropped.changes).toMatchObject([{ type: 'dropped', before: ['yes'], after: ['no'] }]);
  });

  it('reminders are sent once each, 30, 7 and 1 days before the expiry, and none if no expiry date is published', async () => {
    const [name, silent] = [newName(), newName()];
    const day = (days: number) =>
      new Date(under.clock.now().getTime() + days * 24 * HOUR_MS).toISOString().slice(0, 10);
    world.register(name, { expiry_date: day(32) });
    world.register(silent, {});
    for (const one of [name, silent]) world.resolve(one, {});
    const { id } = await watch(name);
    const { id: silentId } = await watch(silent);
    for (const one of [name, silent]) await firstLook(one);
    const checked = await waitFor('the check', async () => {
      const { checks } = await shown(silentId);
      return checks?.expiry_published === null ? undefined : checks;
    });
    expect(checked).toMatchObject({ expiry_date: null, expiry_published: false });
    for (let passed = 0; passed < 34; passed++) {
      await get(RemindExpiriesJob).runOnce();
      await get(RemindExpiriesJob).runOnce();
      under.clock.advance(24 * HOUR_MS);
    }
    const told = (await eventsOf(id)).filter(({ type }) => type === 'domain.expiring');
    expect(told.map(({ days_left }) => days_left)).toEqual([1, 7, 30]);
    expect(await eventsOf(silentId)).toEqual([]);
  });

  it('an impossible date is not an expiry, and does not stop a check', async () => {
    const name = newName();
    world.register(name, { expiry_date: '2030-02-30' });
    world.resolve(name, {});
    const { id } = await watch(name);
    await firstLook(name);
    await waitFor('the end of the check', async () => {
      const { checks } = await shown(id);
      return checks!.whois_checked_at !== null;
    });
    expect((await shown(id)).checks).toMatchObject({ expiry_date: null, expiry_published: false });
  });

  it('an unsupported name and a throttled lookup are tried again later, neither is a change, and a long wait says why', async () => {
    const name = newName();
    world.resolve(name, {});
    world.answerTo('whois', name, {
      outcome: 'unsupported',
      problem: { code: 'tld_unsupported', detail: '' },
    });
    const { id } = await watch(name);
    await firstLook(name);
    await waitFor('the reason', async () => (await shown(id)).checks?.problem !== null);
    expect((await shown(id)).checks).toMatchObject({ problem: 'tld_unsupported' });
    const later = { outcome: 'throttled', laterSeconds: 45 } as const;
    world.answerTo('whois', name, later);
    await nextLook('whois', name, 24 * HOUR_MS);
    await waitFor('the reason', async () => (await shown(id)).checks?.problem === 'throttled');
    world.register(name, { expiry_date: '2030-01-01' });
    await nextLook('whois', name, 46_000);
    await waitFor('the answer', async () => (await shown(id)).checks?.problem === null);
    world.answerTo('whois', name, later);
    await nextLook('whois', name, 24 * HOUR_MS);
    await nextLook('whois', name, 46_000);
    expect((await shown(id)).checks!.problem).toBeNull();
    await nextLook('whois', name, 48 * HOUR_MS);
    await waitFor('the reason', async () => (await shown(id)).checks?.problem === 'throttled');
    expect(await eventsOf(id)).toEqual([]);
  });

  it('an interrupted check is repeated, and is not a change', async () => {
    const name = newName();
    world.register(name, {});
    world.resolve(name, { A: ['192.0.2.1'] });
    const { id } = await watch(name);
    await firstLook(name);
    const looks = world.count('dns', name);
    world.isBreakingOff = true;
    under.clock.advance(6 * HOUR_MS);
    await waitFor('a look', async () => {
      await get(CheckDnsJob)
        .runOnce()
        .catch(() => {});
      return world.count('dns', name) > looks;
    });
    world.isBreakingOff = false;
    await nextLook('dns', name, 5 * MINUTE_MS);
    const at = under.clock.now().toISOString();
    await waitFor('its end', async () => (await shown(id)).checks?.dns_checked_at === at);
    expect(await eventsOf(id)).toEqual([]);
  });

  it('a failure to store one name does not affect other names', async () => {
    const [broken, sound] = [newName(), newName()];
    const checkedAt = async (id: string) => (await shown(id)).checks!.whois_checked_at;
    const ids: string[] = [];
    for (const name of [broken, sound]) {
      world.register(name, {});
      world.resolve(name, {});
      const { id } = await watch(name);
      ids.push(id);
      await firstLook(name);
      await waitFor('its end', async () => (await checkedAt(id)) !== null);
    }
    // A jsonb column rejects this character.
    world.register(broken, { name_servers: ['ns\u0000.example'] });
    world.firstName = broken;
    under.clock.advance(24 * HOUR_MS);
    const at = under.clock.now().toISOString();
    await waitFor('the name after it', async () => {
      await get(CheckWhoisJob)
        .runOnce()
        .catch(() => {});
      return (await checkedAt(ids[1])) === at;
    });
    expect(under.logged.join('')).toContain('the whois of a watched name could not be stored');
    world.register(broken, {});
  });

  it('a registry that does not answer does not delay checks of DNS records', async () => {
    const [slow, other] = [newName(), newName()];
    const { respond } = world;
    const held: (() => void)[] = [];
    world.respond = (...call) => {
      const isSlow = (call[2] as { names: string[] }).names.includes(slow);
      if (isSlow && (call[2] as { kind: string }).kind === 'whois')
        held.push(() => respond(...call));
      else respond(...call);
    };
    await watch(slow);
    await waitFor('a question to the registry', () => held.length > 0);
    await watch(other);
    await waitFor('a check of DNS records', () => world.count('dns', other) > 0);
    world.respond = respond;
    held.forEach((answer) => answer());
    await under.checkNames();
  });

  it('a domain whose check is running is not checked again when another account starts to watch it', async () => {
    const name = newName();
    const later = { outcome: 'throttled', laterSeconds: 60 } as const;
    for (const kind of ['dns', 'whois'] as const) world.answerTo(kind, name, later);
    await watch(name);
    await firstLook(name);
    await watch(name);
    await under.checkNames();
    expect([world.count('dns', name), world.count('whois', name)]).toEqual([1, 1]);
  });

  it('monitors that are deleted and created again cause no immediate checks beyond the limit and ten a day', async () => {
    const domain = 2;
    under.entitlement.monitors.set(accountId, { ...SLOTS, domain });
    for (let made = 1; made < domain + 10; made++) {
      const { id } = await watch(newName());
      await call('DELETE', `/${id}`);
    }
    const [last, late] = [newName(), newName()];
    for (const name of [last, late]) {
      world.register(name, {});
      world.resolve(name, {});
    }
    await watch(last);
    await firstLook(last);
    const looksAt = (name: string) => [world.count('dns', name), world.count('whois', name)];
    const { id } = await watch(late);
    await call('POST', `/${id}/pause`);
    await call('POST', `/${id}/resume`);
    await call('PATCH', `/${id}`, { interval_minutes: 10 });
    await under.checkNames();
    expect(looksAt(late)).toEqual([0, 0]);
    await nextLook('dns', late, 6 * HOUR_MS);
    expect(looksAt(late)).toEqual([1, 0]);
    await nextLook('whois', late, 18 * HOUR_MS);
    // The next day starts a new count.
    const another = newName();
    world.register(another, {});
    world.resolve(another, {});
    await call('DELETE', `/${id}`);
    await watch(another);
    await firstLook(another);
  });

  it('a domain that waits for its first check is checked at once for another account', async () => {
    const domain = 1;
    under.entitlement.monitors.set(accountId, { ...SLOTS, domain });
    for (let made = 0; made < domain + 10; made++) {
      const { id } = await watch(newName());
      await call('DELETE', `/${id}`);
    }
    const name = newName();
    world.register(name, {});
    world.resolve(name, {});
    await watch(name);
    await under.checkNames();
    expect(world.count('dns', name)).toBe(0);
    accountId = newId();
    under.entitlement.monitors.set(accountId, SLOTS);
    await watch(name);
    await firstLook(name);
  });

  it('S118: checks pause while the account is deleted, and are removed when it is erased', async () => {
    const name = newName();
    world.register(name, {});
    world.resolve(name, { A: ['192.0.2.1'] });
    const { id } = await watch(name);
    await firstLook(name);
    const apply = (change: 'remove' | 'restore' | 'erase') =>
      under.database.transaction((transaction) => under.accounts[change](transaction, accountId));
    await apply('remove');
    const looks = world.count('dns', name);
    for (let hours = 0; hours < 24; hours += 6) {
      under.clock.advance(6 * HOUR_MS);
      await get(CheckDnsJob).runOnce();
    }
    expect(world.count('dns', name)).toBe(looks);
    await apply('restore');
    await nextLook('dns', name, 6 * HOUR_MS);
    expect((await shown(id)).state).toBe('active');
    await apply('erase');
    expect(await call('GET', '')).toMatchObject({ monitors: [] });
    const left = await under.database.query('select from watched_names where name = $1', [name]);
    expect(left).toEqual([]);
  });
});
