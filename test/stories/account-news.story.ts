import { beforeAll, expect, it } from '@jest/globals';
import type { OrderAnswer } from '#libs/contracts';
import { waitFor } from '#test/environment';
import { pressButton } from '../billing/hosted-page.js';
import type { WebhookReceiver } from '../worker/webhook-receiver.js';
import { Customer } from './customer.js';
import type { Deployment } from './deployment.js';

const HOST = 'news.hooks.example';
/** Names whose lookups cost more than four fifths of the trial credits. */
const NAMES = Array.from({ length: 410 }, (_, n) => `news-story-${n}.com`);
const EVENTS = ['job.completed', 'credits.low', 'invoice.issued', 'monitor.triggered'];
const WAIT_MS = 180_000;

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

  it('a job that uses most of the credits sends an event about its end and one about the low balance', async () => {
    const job = { domainNames: NAMES, types: ['A'] };
    const started = await customer.call('POST', '/api/jobs/dns', job);
    expect(started.status).toBe(202);
    expect(await arrived('job.completed')).toMatchObject({ data: { id: started.body.id } });
    const low = await arrived('credits.low');
    expect(low.data.threshold_percent).toBe(20);
    expect(low.data.remaining).toBeLessThanOrEqual(100);
    const mail = await customer.mailed('Your credits are running out');
    expect(mail.text).toContain(`${open().dashboardUrl}/credits`);
  });

  it('a purchase sends an event about its invoice', async () => {
    const wish = { product: 'package', credits: 5_000, processor: 'stripe' };
    const key = { 'idempotency-key': 'news-story' };
    const { status, body } = await customer.call('POST', '/api/orders', wish, key);
    expect(status).toBe(201);
    await pressButton((body as OrderAnswer).redirect_url as string, 'pay');
    expect(await arrived('invoice.issued')).toMatchObject({
      data: { kind: 'invoice', number: expect.any(String) },
    });
  });

  it('a brand monitor, which the package includes but the trial did not, sends an event about a new name', async () => {
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
    await customer.mailed('An event from your monitor');
    const events = await customer.call('GET', `/api/monitors/${id}/events`);
    expect(events.body.events).toHaveLength(1);
  });
}
