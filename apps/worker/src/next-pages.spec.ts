import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { MonitorAnswer, Paging, WebhookSecretAnswer } from '#libs/contracts';
import { newId } from '#libs/platform';
import { WorkerUnderTest } from '../../../test/worker/worker-under-test.js';

const under = new WorkerUnderTest();
const accountId = newId();
/** The ids of a monitor with two events and of a webhook with two deliveries. */
let monitorId: string;
let webhookId: string;

beforeAll(async () => {
  await under.start();
  under.entitlement.monitors.set(accountId, { domain: 2, brand: 0, registrant: 0 });
  const make = async <T>(path: string, body?: object): Promise<T> =>
    under.gateway.call('POST', `/internal/${path}`, { accountId, body });
  for (const part of ['one', 'two']) {
    const domainName = `${part}-of-two.com`;
    ({ id: monitorId } = await make<MonitorAnswer>('monitors', { kind: 'domain', domainName }));
    const hook = { url: `https://${part}.example.com/`, events: ['job.completed'] };
    ({ id: webhookId } = await make<WebhookSecretAnswer>('webhooks', hook));
    await make('jobs/dns', { domainNames: [domainName] });
    await under.upload(accountId, domainName);
  }
  for (let times = 0; times < 2; times++) {
    await make(`monitors/${monitorId}/test`);
    await make(`webhooks/${webhookId}/test`);
  }
});
afterAll(() => under.stop());

it.each([
  ['jobs', () => 'jobs'],
  ['uploads', () => 'uploads'],
  ['monitors', () => 'monitors'],
  ['events of a monitor', () => `monitors/${monitorId}/events`],
  ['webhooks', () => 'webhooks'],
  ['deliveries of a webhook', () => `webhooks/${webhookId}/deliveries`],
])('the list of %s names its next page to the gateway, for `Link`', async (_list, pathOf) => {
  const page = async (query: string) => {
    const path = `/internal/${pathOf()}?version=2&page_size=1${query}`;
    const { text, headers } = await under.send('GET', path, { accountId });
    const { paging } = JSON.parse(text) as { paging: Paging };
    return { next: headers['x-next-cursor'], cursor: paging.next_cursor };
  };
  const first = await page('');
  expect(first.next).toBe(first.cursor);
  expect(first.next).toMatch(/./);
  expect((await page(`&cursor=${String(first.next)}`)).next).toBeUndefined();
});
