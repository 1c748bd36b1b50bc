import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import type { ClusterProcess } from '../../apps/cluster/src/processes/cluster-process.js';
import { WebhookReceiver } from '../worker/webhook-receiver.js';
import { buyCredits } from './buy-credits.story.js';
import { Customer } from './customer.js';
import { describeOnCluster, openCluster } from './deployment.js';
import { accountNews } from './account-news.story.js';
import { firstLight } from './first-light.story.js';

const START_LIMIT_MS = 240_000;

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

  describe('an account’s notifications', () => accountNews(() => deployment, receiver));

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
