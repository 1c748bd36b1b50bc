import { beforeAll, expect, it } from '@jest/globals';
import type { LedgerAnswer, OrderAnswer } from '#libs/contracts';
import { withClient } from '#libs/database';
import { HOUR_MS, MINUTE_MS } from '#libs/platform';
import { waitFor } from '#test/environment';
import { pressButton } from '../billing/hosted-page.js';
import type { WebhookReceiver } from '../worker/webhook-receiver.js';
import { Customer } from './customer.js';
import type { Deployment } from './deployment.js';

const HOST = 'news.hooks.example';
/** More than four fifths of the trial credits. */
const NAMES = Array.from({ length: 410 }, (_, n) => `news-story-${n}.com`);
const EVENTS = ['job.completed', 'credits.low', 'invoice.issued', 'monitor.triggered'];
const WAIT_MS = 180_000;

/** Each event that webhooks can receive, from its cause to the customer's address. */
export function accountNews(open: () => Deployment, receiver: WebhookReceiver): void {
  let customer: Customer;

  beforeAll(async () => {
    customer = new Customer(open(), 'news@story.example');
    await customer.joinWithCredits();
    const body = { url: `https://${HOST}/in`, events: EVENTS };
    expect((await customer.call('POST', '/api/webhooks', body)).status).toBe(201);
  });

  const arrived = (type: string) =>
    waitFor(
      `the event ${type}`,
      () => {
        const bodies = receiver.arrivedAt(HOST).map(({ body }) => JSON.parse(body));
        return bodies.find((body) => body.type === type);
      },
      WAIT_MS,
    );
  const mailed = (words: string) =>
    waitFor(
      `the mail "${words}"`,
      async () =>
        (await open().mailbox.newest(100)).find(
          ({ to, subject }) => to === customer.email && subject.includes(words),
        ),
      WAIT_MS,
    );

  it('a job that uses most of the credits reports its end and the low balance', async () => {
    const job = { domainNames: NAMES, types: ['A'] };
    const started = await customer.call('POST', '/api/jobs/dns', job);
    expect(started.status).toBe(202);
    expect(await arrived('job.completed')).toMatchObject({ data: { id: started.body.id } });
    const low = await arrived('credits.low');
    expect(low.data.threshold_percent).toBe(20);
    expect(low.data.remaining).toBeLessThanOrEqual(100);
    const mail = await mailed('Your credits are running out');
    expect(mail.text).toContain(`${open().dashboardUrl}/credits`);
  });

  it('a purchase reports its invoice', async () => {
    const wish = { product: 'package', credits: 5_000, processor: 'stripe' };
    const key = { 'idempotency-key': 'news-story' };
    const { status, body } = await customer.call('POST', '/api/orders', wish, key);
    expect(status).toBe(201);
    await pressButton((body as OrderAnswer).redirect_url as string, 'pay');
    expect(await arrived('invoice.issued')).toMatchObject({
      data: { kind: 'invoice', number: expect.any(String) },
    });
  });

  it('a brand monitor, which the package includes and the trial did not, reports a new name', async () => {
    const wish = { kind: 'brand', keyword: 'storybrandx' };
    const { id } = await waitFor('a place for the monitor', async () => {
      const { status, body } = await customer.call('POST', '/api/monitors', wish);
      return status === 201 ? body : undefined;
    });
    await customer.lookUp('storybrandx-login.com');
    const told = await arrived('monitor.triggered');
    expect(told.data).toMatchObject({
      monitor_id: id,
      kind: 'brand',
      events: [
        {
          type: 'brand.match',
          domain_name: 'storybrandx-login.com',
          match: { reason: 'keyword', value: 'storybrandx' },
          state: 'new',
        },
      ],
    });
    await mailed('News from a monitor');
    const events = await customer.call('GET', `/api/monitors/${id}/events`);
    expect(events.body.events).toHaveLength(1);
  });

  it('a domain monitor checks its name at once and knows its expiry', async () => {
    const wish = { kind: 'domain', domainName: 'news-story-1.com' };
    const { status, body } = await customer.call('POST', '/api/monitors', wish);
    expect(status).toBe(201);
    const checks = await waitFor(
      'both looks',
      async () => {
        const monitor = await customer.call('GET', `/api/monitors/${body.id}`);
        const { dns_checked_at, whois_checked_at } = monitor.body.checks;
        return dns_checked_at !== null && whois_checked_at !== null && monitor.body.checks;
      },
      WAIT_MS,
    );
    expect(checks).toMatchObject({ problem: null, expiry_published: true });
    expect(checks.expiry_date).toMatch(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/);
    const { body: found } = await customer.call('GET', `/api/monitors/${body.id}/events`);
    expect(found.events).toEqual([]);
  });

  it('checks beyond the plan are priced in advance, and appear in the ledger once', async () => {
    const { body: listed } = await customer.call('GET', '/api/monitors');
    const { id } = listed.monitors.find(({ kind }: { kind: string }) => kind === 'domain');
    const often = { interval_minutes: 60 };
    const dry = await customer.call('PATCH', `/api/monitors/${id}?dry_run=true`, often);
    const price = { credits_per_check: 1, credits_per_day_max: 20 };
    expect(dry).toMatchObject({ status: 200, body: { price: { ...price, shortfall: 0 } } });
    const changed = await customer.call('PATCH', `/api/monitors/${id}`, often);
    expect(changed.body).toMatchObject({ price });
    const checkedAt = async () =>
      (await customer.call('GET', `/api/monitors/${id}`)).body.checks.dns_checked_at as string;
    const last = await checkedAt();
    open().clock.advance(HOUR_MS);
    await waitFor('a further check', async () => (await checkedAt()) !== last, WAIT_MS);
    // The checks of each minute are charged together.
    open().clock.advance(2 * MINUTE_MS);
    const charges = await waitFor(
      'the charge',
      async () => {
        await withClient(open().superuserUrl, (client) =>
          client.query(
            `update worker.work set until = clock_timestamp() where queue = 'paid-checks' and state = 'waiting'`,
          ),
        );
        const { body } = await customer.call('GET', '/api/ledger');
        const lines = (body as LedgerAnswer).items.filter(
          ({ operation }) => operation === 'monitors.checks',
        );
        return lines.length > 0 && lines;
      },
      WAIT_MS,
    );
    expect(charges).toMatchObject([{ kind: 'use', amount: '-1' }]);
  });

  it('a test key cannot store monitors', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${open().apiUrl}/v2.0/monitors`, {
        method,
        headers: { 'x-api-key': customer.testKey, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{"kind":"brand","keyword":"acme"}' }),
      });
      const { code } = (await answer.json()) as { code: string };
      expect([method, answer.status, code]).toEqual([method, 403, 'test_key_not_allowed']);
    }
  });
}
