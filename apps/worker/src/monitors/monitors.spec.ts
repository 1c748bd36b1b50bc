import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  AllowanceChanged,
  EventEnvelope,
  MonitorAnswer,
  MonitorEvent,
  MonitorEventsAnswer,
  WebhookSecretAnswer,
} from '#libs/contracts';
import { HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { WatchedWorld } from '../../../../test/stand-ins/watched-world.js';
import { CheckNamesJob } from '../monitor-checks/check-names.job.js';
import { RemindExpiriesJob } from '../monitor-checks/remind-expiries.job.js';
import { ForgetNewsJob } from '../monitor-news/forget-news.job.js';
import { MailDigestsJob } from '../monitor-news/mail-digests.job.js';
import { OnAllowanceChangedConsumer } from './on-allowance-changed.consumer.js';

const SLOTS = { domain: 5, brand: 2, registrant: 2 };

describe('monitors', () => {
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

  /** Checks what is due until a name was asked about so often. */
  async function untilAsked(kind: 'dns' | 'whois', name: string, times: number): Promise<void> {
    await waitFor(`${times} questions about ${kind} of ${name}`, async () => {
      await under.checkNames();
      return world.count(kind, name) >= times;
    });
  }
  /** Lets time pass until a name is looked at again. */
  async function nextLook(kind: 'dns' | 'whois', name: string, afterMs: number): Promise<void> {
    const times = world.count(kind, name) + 1;
    under.clock.advance(afterMs);
    await untilAsked(kind, name, times);
  }
  async function firstLook(name: string): Promise<void> {
    await untilAsked('dns', name, 1);
    await untilAsked('whois', name, 1);
  }

  it('one check is made for all who watch a name, and the first one is no news', async () => {
    const name = newName();
    world.register(name, { expiry_date: '2030-01-01', name_servers: ['ns1.example.net'] });
    world.resolve(name, { A: ['192.0.2.1'] });
    const mine = await watch(`https://www.${name}/`);
    expect(mine).toMatchObject({ state: 'active', watches: { domain_name: name } });
    expect(mine.checks).toMatchObject({ dns_checked_at: null, expiry_published: null });
    await watch(name);
    await firstLook(name);
    expect([world.count('dns', name), world.count('whois', name)]).toEqual([1, 1]);
    expect(world.asked.at(-1)).toMatchObject({ priority: 'monitor', maxAgeSeconds: 0 });
    await waitFor('the expiry', async () => {
      const { checks } = await shown(mine.id);
      return checks?.expiry_date === '2030-01-01' && checks.expiry_published === true;
    });
    expect(await eventsOf(mine.id)).toEqual([]);
  });

  it('a change of the DNS is told once a second look confirms it, and brings the registration forward', async () => {
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

  it('a momentary change is no news, and a flapping one is told twice a day', async () => {
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

  it('a registration is compared by what it publishes, of which no value of people is kept; a partial answer takes nothing away', async () => {
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

  it('reminds 30, 7 and 1 days before the expiry, once each; without one it says so', async () => {
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

  it('a day that there is not is no expiry, and keeps no check from ending', async () => {
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

  it('an upstream that is not ready is asked later, and a failure is no change', async () => {
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
    world.answerTo('whois', name, { outcome: 'throttled', laterSeconds: 45 });
    await nextLook('whois', name, 24 * HOUR_MS);
    world.register(name, { expiry_date: '2030-01-01' });
    await nextLook('whois', name, 46_000);
    await waitFor('the answer', async () => (await shown(id)).checks?.problem === null);
    expect(await eventsOf(id)).toEqual([]);
  });

  it('a check that is broken off is made again, and is no change', async () => {
    const name = newName();
    world.register(name, {});
    world.resolve(name, { A: ['192.0.2.1'] });
    const { id } = await watch(name);
    await firstLook(name);
    const looks = world.count('dns', name);
    world.isBreakingOff = true;
    under.clock.advance(6 * HOUR_MS);
    await waitFor('a look', async () => {
      await get(CheckNamesJob)
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

  it('a fault in keeping one name leaves out no other', async () => {
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
    // No jsonb takes it.
    world.register(broken, { name_servers: ['ns\u0000.example'] });
    world.firstName = broken;
    under.clock.advance(24 * HOUR_MS);
    const at = under.clock.now().toISOString();
    await waitFor('the name behind it', async () => {
      await get(CheckNamesJob)
        .runOnce()
        .catch(() => {});
      return (await checkedAt(ids[1])) === at;
    });
    expect(under.logged.join('')).toContain('the whois of a watched name could not be kept');
    world.register(broken, {});
  });

  it('a monitor is tested five times an hour, and its tests are kept for a day', async () => {
    const { id } = await watch(newName());
    const test = () => under.send('POST', `/internal/monitors/${id}/test`, { accountId });
    const answers = await Promise.all(Array.from({ length: 7 }, test));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.headers['retry-after']).toBe('3600');
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'too_many_tests', retryable: true });
    under.clock.advance(HOUR_MS);
    expect((await test()).status).toBe(202);
    under.clock.advance(23 * HOUR_MS + MINUTE_MS);
    expect(await eventsOf(id)).toHaveLength(6);
    await get(ForgetNewsJob).runOnce();
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it('news go to the webhook, and into one mail an hour', async () => {
    const webhook = await under.gateway.call<WebhookSecretAnswer>('POST', '/internal/webhooks', {
      accountId,
      body: { url: 'https://hooks.example/in', events: ['monitor.triggered'] },
    });
    const [name, quiet] = [newName(), newName()];
    const { id } = await call<MonitorAnswer>('POST', '', {
      kind: 'domain',
      domainName: name,
      name: 'Our <b>shop</b>',
    });
    const { id: quietId } = await call<MonitorAnswer>('POST', '', {
      kind: 'domain',
      domainName: quiet,
      mail: false,
    });
    const made = await call<MonitorEvent>('POST', `/${id}/test`);
    expect(made).toMatchObject({ type: 'monitor.test', monitor_id: id, domain_name: name });
    await call('POST', `/${quietId}/test`);
    const bodies = await under.database.query<{ body: string }>(
      `select body from webhook_deliveries where webhook_id = $1 order by id`,
      [webhook.id],
    );
    expect(bodies.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
      {
        type: 'monitor.triggered',
        data: { monitor_id: id, kind: 'domain', events: [{ id: made.id, type: 'monitor.test' }] },
      },
      { type: 'monitor.triggered', data: { monitor_id: quietId } },
    ]);
    const mails = async () =>
      (await under.mailbox.newest(200)).filter(({ to }) => to === `${accountId}@payer.example`);
    const mailed = (count: number) =>
      waitFor(`${count} mails`, async () => {
        await get(MailDigestsJob).runOnce();
        return (await mails()).length === count;
      });
    await mailed(1);
    await call('POST', `/${id}/test`);
    await call('POST', `/${id}/test`);
    await get(MailDigestsJob).runOnce();
    expect(await mails()).toHaveLength(1);
    under.clock.advance(HOUR_MS);
    await mailed(2);
    const [newest, first] = await mails();
    expect(newest.subject).toBe('2 events from your monitors');
    expect(first.text).toContain(`Our <b>shop</b>: ${name} is a test`);
    expect(first.text).not.toContain(quiet);
    expect(first.html).not.toContain('<b>shop</b>');
  });

  it('an account has as many as its plan says; what a lower plan does not hold is paused, and goes on', async () => {
    under.entitlement.monitors.set(accountId, { domain: 2, brand: 0, registrant: 0 });
    const made = await Promise.allSettled(Array.from({ length: 4 }, async () => watch(newName())));
    const ids = made
      .flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []))
      .toSorted();
    expect(ids).toHaveLength(2);
    expect(made.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { status: 403, code: 'monitor_limit_reached' },
    });
    const brand = call('POST', '', { kind: 'brand', keyword: 'example' });
    await expect(brand).rejects.toMatchObject({
      code: 'monitor_limit_reached',
      members: { kind: 'brand', limit: 0, plan: '5K' },
    });
    const states = async () => Promise.all(ids.map(async (id) => (await shown(id)).state));
    const fit = async (domain: number) => {
      under.entitlement.monitors.set(accountId, { domain, brand: 0, registrant: 0 });
      const event = { key: accountId } as EventEnvelope<AllowanceChanged>;
      await under.database.transaction((transaction) =>
        get(OnAllowanceChangedConsumer).handle(event, transaction),
      );
    };
    await fit(1);
    await waitFor('the pause', async () => (await states()).join() === 'active,over_limit');
    await expect(call('POST', `/${ids[1]}/resume`)).rejects.toMatchObject({ status: 403 });
    await call('POST', `/${ids[0]}/pause`);
    expect(await call('POST', `/${ids[1]}/resume`)).toMatchObject({ state: 'active' });
    await fit(2);
    await call('POST', `/${ids[0]}/resume`);
    expect(await states()).toEqual(['active', 'active']);
  });

  it('a lower allowance that comes while a monitor takes a place misses none', async () => {
    const allow = (domain: number) =>
      under.entitlement.monitors.set(accountId, { domain, brand: 0, registrant: 0 });
    /** The allowance falls, and is fitted, while a call that has read it waits for its turn. */
    const overtaken = async (take: () => Promise<MonitorAnswer>): Promise<MonitorAnswer> => {
      allow(1);
      const { taken } = await under.database.transaction(async (transaction) => {
        await transaction.query(
          `select pg_advisory_xact_lock(hashtextextended('monitors ' || $1, 0))`,
          [accountId],
        );
        const taken = take();
        await waitFor('the wait for its turn', async () => {
          const waiting = await under.database.query(
            `select from pg_stat_activity where datname = current_database()
               and wait_event_type = 'Lock' and query like '%advisory%monitors %'`,
          );
          return waiting.length > 0;
        });
        allow(0);
        return { taken };
      });
      return taken;
    };
    const { id } = await overtaken(() => watch(newName()));
    const isOver = async () => (await shown(id)).state === 'over_limit';
    await waitFor('the pause of a new one', isOver);
    await call('POST', `/${id}/pause`);
    await overtaken(() => call('POST', `/${id}/resume`));
    await waitFor('the pause of one that goes on', isOver);
  });

  it('S87: another account sees, changes and removes nothing', async () => {
    const { id } = await watch(newName());
    const { id: eventId } = await call<MonitorEvent>('POST', `/${id}/test`);
    accountId = newId();
    for (const [method, rest, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/test'],
      ['GET', '/events'],
      ['PATCH', `/events/${eventId}`, { state: 'ignored' }],
    ] as const) {
      await expect(call(method, `/${id}${rest}`, body)).rejects.toMatchObject({ status: 404 });
    }
    expect(await call('GET', '')).toMatchObject({ monitors: [] });
  });

  it('S118: they rest while the account is deleted or suspended, and are gone when it is erased', async () => {
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
      await get(CheckNamesJob).runOnce();
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

  it('senseless values are refused by name', async () => {
    for (const [body, field] of [
      [{ kind: 'domain' }, 'domainName'],
      [{ kind: 'domain', domainName: 'com' }, 'domainName'],
      [{ kind: 'domain', domainName: 'registered.test' }, 'domainName'],
      [{ kind: 'domain', domainName: 'example.com', keyword: 'example' }, 'keyword'],
      [{ kind: 'domain', domainName: 'example.com', tlds: ['com'] }, 'tlds'],
      [{ kind: 'brand', keyword: 'ab' }, 'keyword'],
      [{ kind: 'brand', keyword: 'a b.c' }, 'keyword'],
      [{ kind: 'brand', keyword: 'example', own_domains: ['com'] }, 'own_domains'],
      [{ kind: 'registrant' }, 'owner'],
      [{ kind: 'registrant', owner: 'Alex', email: 'alex@example.com' }, 'email'],
      [{ kind: 'registrant', owner: '  A ' }, 'owner'],
    ] as const) {
      const refused = await call('POST', '', body).catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field }] });
    }
  });
});
