import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrderAnswer } from '#libs/contracts';
import { waitFor } from '#test/environment';
import type { ClusterProcess } from '../../apps/cluster/src/processes/cluster-process.js';
import { pressButton } from '../billing/hosted-page.js';
import { WebhookReceiver } from '../worker/webhook-receiver.js';
import { buyCredits } from './buy-credits.story.js';
import { Customer } from './customer.js';
import { describeOnCluster, openCluster } from './deployment.js';
import { firstLight } from './first-light.story.js';

const START_LIMIT_MS = 240_000;
const HOST = 'news.hooks.example';
/** Names whose lookups cost more than four fifths of the trial credits. */
const NAMES = Array.from({ length: 410 }, (_, n) => `news-story-${n}.com`);
const EVENTS = ['job.completed', 'credits.low', 'invoice.issued', 'monitor.triggered'];
const WAIT_MS = 180_000;

/** Runs stories in one cluster. `rest-in-cluster.proof.spec.ts` runs the others. */
describeOnCluster('a process for each service', () => {
  const receiver = new WebhookReceiver();
  let deployment: Awaited<ReturnType<typeof openCluster>>;
  beforeAll(async () => {
    await receiver.start();
    deployment = await openCluster(receiver.environment);
  });
  afterAll(async () => {
    receiver.stop();
    await deployment?.stop();
  });

  describe('from sign-up to erasure', () => firstLight(() => deployment));

  // The processors differ only within billing, so PayPal's stories run in one process.
  describe('credits are bought with Stripe', () => buyCredits(() => deployment, 'stripe'));

  describe('an account’s notifications', () => {
    let customer: Customer;

    beforeAll(async () => {
      customer = new Customer(deployment, 'news@story.example');
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
      expect(mail.text).toContain(`${deployment.dashboardUrl}/credits`);
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
  });

  describe('several processes', () => {
    it('both gateways share the same limit and the same balance', async () => {
      const { cluster } = deployment;
      const [first, second] = cluster.gateways.map(({ apiUrl }) => ({ ...deployment, apiUrl }));
      const customer = new Customer(first, 'both@story.example');
      await customer.join();
      const elsewhere = new Customer(second, customer.email);
      elsewhere.key = customer.key;
      await customer.waitForCredits(500);
      const statuses: number[] = [];
      for (let n = 0; n < 12; n++) {
        const { status } = await [customer, elsewhere][n % 2].lookUp(`both-${n}.com`);
        statuses.push(status);
      }
      expect(statuses.toSorted()).toEqual([...Array(10).fill(200), 429, 429]);
      await customer.waitForCredits(490);
    });

    it('a service is not ready without its database, and becomes ready when the database is back', async () => {
      const { postgres, processes } = deployment.cluster;
      const account = named(processes, 'account');
      postgres.kill('SIGKILL');
      const away = { status: 503, body: { status: 'unavailable', faults: ['database'] } };
      await waitFor(
        'the database to be reported as down',
        () => isReadiness(account, away),
        START_LIMIT_MS,
      );
      await postgres.start();
      const well = { status: 200, body: { status: 'ok', faults: [] } };
      await waitFor(
        'the database to be reported as up',
        () => isReadiness(account, well),
        START_LIMIT_MS,
      );
    });
  });
});

const named = (processes: ClusterProcess[], name: string) =>
  processes.find((each) => each.name === name) as ClusterProcess;

async function isReadiness(process: ClusterProcess, expected: object): Promise<boolean> {
  const response = await fetch(`${process.url}/ready`);
  const found = { status: response.status, body: await response.json() };
  return JSON.stringify(found) === JSON.stringify(expected);
}
