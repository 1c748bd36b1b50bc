import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  AllowanceChanged,
  EventEnvelope,
  MonitorAnswer,
  MonitorEvent,
  MonitorEventsAnswer,
  MonitorsAnswer,
  WebhookSecretAnswer,
} from '#libs/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { ForgetNewsJob } from '../monitor-news/forget-news.job.js';
import { MailDigestsJob } from '../monitor-news/mail-digests.job.js';
import { FitMonitorsJob } from './fit-monitors.job.js';
import { OnAllowanceChangedConsumer } from './on-allowance-changed.consumer.js';

const SLOTS = { domain: 5, brand: 2, registrant: 2 };

describe('monitors', () => {
  const under = new WorkerUnderTest();
  let names = 0;

  beforeAll(async () => {
    await under.start();
    await under.holdJob('forget-monitor-news');
    await under.holdJob('mail-monitor-digests');
  });
  afterAll(() => under.stop());

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

  it('a call that is repeated with its Idempotency-Key creates one monitor, also once all slots are used', async () => {
    under.entitlement.monitors.set(accountId, { ...SLOTS, domain: 1 });
    const create = async (domainName: string) => {
      const { text } = await under.send('POST', '/internal/monitors', {
        accountId,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: JSON.stringify({ kind: 'domain', domainName }),
      });
      return JSON.parse(text) as MonitorAnswer & { code?: string };
    };
    const name = newName();
    const first = await create(name);
    expect(first.state).toBe('active');
    expect(await create(name)).toEqual(first);
    expect((await create(newName())).code).toBe('idempotency_key_reused');
    expect((await call<MonitorsAnswer>('GET', '')).monitors).toHaveLength(1);
  });

  it('a monitor can be tested five times an hour, and its tests are kept for a day', async () => {
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

  it('the tests of an account are limited, although each new monitor can be tested at once', async () => {
    const first = await watch(newName());
    await call('POST', `/${first.id}/test`);
    await call('DELETE', `/${first.id}`);
    await under.database.query(
      `update daily_counts set count = count + 498 where account_id = $1 and subject = 'monitor tests'`,
      [accountId],
    );
    const { id } = await watch(newName());
    const test = () => under.send('POST', `/internal/monitors/${id}/test`, { accountId });
    expect((await test()).status).toBe(202);
    const refused = await test();
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'too_many_tests', retryable: true });
    under.clock.advance(DAY_MS);
    expect((await test()).status).toBe(202);
  });

  it('events are sent to webhooks at once, and in at most one e-mail an hour', async () => {
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
    expect(first.text).toContain(
      `Our <b>shop</b>: a test of this monitor (${name}); nothing has changed`,
    );
    expect(first.text).not.toContain(quiet);
    expect(first.html).not.toContain('<b>shop</b>');
  });

  it('an event that cannot be described does not stop the e-mails of other accounts', async () => {
    const { id } = await watch(newName());
    await call('POST', `/${id}/test`);
    await under.database.query(
      `update monitor_events set type = 'domain.changed', details = 'null' where monitor_id = $1`,
      [id],
    );
    const bad = accountId;
    accountId = newId();
    under.entitlement.monitors.set(accountId, SLOTS);
    under.clock.advance(1);
    await call('POST', `/${(await watch(newName())).id}/test`);
    await waitFor('the other account’s mail', async () => {
      await get(MailDigestsJob)
        .runOnce()
        .catch(() => {});
      const mails = await under.mailbox.newest(200);
      return mails.some(({ to }) => to === `${accountId}@payer.example`);
    });
    await under.database.query('delete from monitor_digests where account_id = $1', [bad]);
  });

  it('an account has as many monitors as its plan allows: a lower plan pauses the others, and a higher plan resumes them', async () => {
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
      message: expect.stringMatching(/can have no brand monitors at present\. Buy .* 5K first\.$/),
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
    await waitFor('the free place', async () => (await states()).join() === 'paused,active');
    await fit(2);
    await call('POST', `/${ids[0]}/resume`);
    // An earlier change may have been based on the previous allowance.
    await waitFor('both to be active', async () => (await states()).join() === 'active,active');
  });

  it('rights that end by time alone, without an event, pause the monitors that exceed what remains', async () => {
    const allow = (domain: number, days?: number) => {
      under.entitlement.monitors.set(accountId, { domain, brand: 0, registrant: 0 });
      const end = days && new Date(under.clock.now().getTime() + days * DAY_MS).toISOString();
      under.entitlement.validUntil = end || undefined;
    };
    const waiting = () =>
      under.database.query<{ days: number }>(
        `select round(extract(epoch from until - clock_timestamp()) / 86400)::int as days
         from work where queue = 'monitor-slots' and account_id = $1`,
        [accountId],
      );
    allow(2, 3);
    const ids = [(await watch(newName())).id, (await watch(newName())).id];
    await waitFor('the wait for the end', async () => (await waiting())[0]?.days === 3);
    allow(1);
    await under.hurry(FitMonitorsJob);
    const isOver = async () => (await shown(ids[1])).state === 'over_limit';
    await waitFor('the end of the rights', isOver);
    await waitFor('the end of the work', async () => (await waiting()).length === 0);
  });

  it('the erasure of an account removes the work that waits for the end of its allowance', async () => {
    const end = new Date(under.clock.now().getTime() + 3 * DAY_MS);
    under.entitlement.validUntil = end.toISOString();
    await watch(newName());
    const waiting = () =>
      under.database.query(
        `select from work where queue = 'monitor-slots' and account_id = $1 and state = 'waiting'`,
        [accountId],
      );
    await waitFor('the wait for the end', async () => (await waiting()).length > 0);
    await under.database.transaction((transaction) => under.accounts.erase(transaction, accountId));
    expect(await waiting()).toEqual([]);
    under.entitlement.validUntil = undefined;
  });

  it('the place of a removed monitor goes to the oldest monitor over the limit, not to a new one', async () => {
    under.entitlement.monitors.set(accountId, { domain: 3, brand: 0, registrant: 0 });
    const ids: string[] = [];
    for (let made = 0; made < 3; made++) ids.push((await watch(newName())).id);
    under.entitlement.monitors.set(accountId, { domain: 1, brand: 0, registrant: 0 });
    const event = { key: accountId } as EventEnvelope<AllowanceChanged>;
    await under.database.transaction((transaction) =>
      get(OnAllowanceChangedConsumer).handle(event, transaction),
    );
    const isIn = async (id: string, state: string) => (await shown(id)).state === state;
    await waitFor('the limit', async () => isIn(ids[2], 'over_limit'));
    await call('DELETE', `/${ids[0]}`);
    await waitFor('the free place', async () => isIn(ids[1], 'active'));
    await expect(watch(newName())).rejects.toMatchObject({ code: 'monitor_limit_reached' });
    expect(await isIn(ids[2], 'over_limit')).toBe(true);
  });

  it('a lower allowance that arrives while a monitor is created also applies to that monitor', async () => {
    const allow = (domain: number) =>
      under.entitlement.monitors.set(accountId, { domain, brand: 0, registrant: 0 });
    /** Lowers and applies the allowance while a call that has already read it waits for its turn. */
    const overtaken = async (take: () => Promise<MonitorAnswer>): Promise<MonitorAnswer> => {
      allow(1);
      // The job also waits for its turn.
      await waitFor('the end of the running changes', async () => {
        const fitting = `select from work where queue = 'monitor-slots' and account_id = $1`;
        return (await under.database.query(fitting, [accountId])).length === 0;
      });
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
    await waitFor('the pause of a resumed one', isOver);
  });

  it('S87: another account cannot see, change or remove a monitor', async () => {
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

  it('invalid values are rejected, and the rejection names them', async () => {
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
      [{ kind: 'registrant', owner: 'A\u200c\u200c' }, 'owner'],
      [{ kind: 'registrant', owner: 'A \u200c \u200c \u200c' }, 'owner'],
      [{ kind: 'brand', keyword: 'exam\u200cple' }, 'keyword'],
      [{ kind: 'brand', keyword: 'xn--mller-kva/example' }, 'keyword'],
    ] as const) {
      const refused = await call('POST', '', body).catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field }] });
    }
  });

  it.each([
    [{ keyword: 'ab' }, 'must contain at least 3 letters or digits'],
    [{ keyword: 'example', include: ['\u0301'] }, 'must contain a letter or digit'],
  ])('the rejection of %j says how long the text must be', async (given, message) => {
    const refused = await call('POST', '', { kind: 'brand', ...given }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ status: 400, errors: [{ message }] });
  });
});
