import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InProcessTransport } from '#libs/messaging';
import { Logger, SystemClock, loadConfig, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { GatewayConfig } from '../../apps/gateway/src/gateway.config.js';
import { readLeases } from '../../apps/gateway/src/lease/journal-lines.js';
import { type RunningGateway, startGateway } from '../../apps/gateway/src/start.js';
import { type RunningSolo, startSolo } from '../../apps/solo/src/solo.js';
import { TcpProxy } from '../faults/tcp-proxy.js';
import { Customer } from './customer.js';
import { preparedFolder } from './deployment.js';

const TRIAL_CREDITS = 500;

/**
 * Tests solo's own gateway, two more gateways that receive no events, and a gateway in a separate process that is
 * killed. A customer has the same rights and credits at all of them.
 */
describe('one customer at several gateways', () => {
  let folder: string;
  const clock = new SystemClock();
  const logger = new Logger('gateway', { write: () => {} });
  let solo: RunningSolo;
  let second: RunningGateway;
  let third: RunningGateway;
  let wire: TcpProxy;
  let child: ChildProcess | undefined;
  let killed: Customer;
  let names = 0;

  beforeAll(async () => {
    folder = await preparedFolder();
    solo = await startSolo({
      dataFolder: folder,
      apiPort: 0,
      dashboardPort: 0,
      offline: true,
      demoAccount: 'none',
      durable: false,
      // Several services share this process, so delays do not mean that a gateway is overloaded.
      overrides: { GATEWAY_LOOP_DELAY_MAX_MS: '60000', GATEWAY_SERVICES_TIMEOUT_MS: '30000' },
      log: { path: join(folder, 'story.log'), write: () => {} },
    });
    wire = await TcpProxy.before(solo.accountUrl);
    second = await startSilentGateway('second');
    third = await startSilentGateway('third', {
      ACCOUNT_URL: new URL(wire.through(solo.accountUrl)).origin,
    });
  });

  afterAll(async () => {
    child?.kill('SIGKILL');
    await second?.stop();
    await third?.stop();
    await wire?.stop();
    await solo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const settingsOf = (name: string, settings: Record<string, string> = {}) => ({
    ...solo.settings,
    API_PORT: '0',
    DASHBOARD_PORT: '0',
    GATEWAY_JOURNAL: join(folder, `${name}.journal`),
    ...settings,
  });

  /** Starts a gateway whose transport delivers nothing, so that only the change feeds inform it of changes. */
  async function startSilentGateway(
    name: string,
    settings: Record<string, string> = {},
  ): Promise<RunningGateway> {
    const transport = new InProcessTransport({ logger, consumers: { account: ['gateway'] } });
    const config = loadConfig(GatewayConfig, settingsOf(name, settings));
    return startGateway({ config, clock, logger, transport });
  }

  async function forkGateway(name: string): Promise<string> {
    const main = join(import.meta.dirname, '../../apps/gateway/src/main.js');
    const { NODE_COMPILE_CACHE } = process.env;
    const env = { NODE_COMPILE_CACHE, ...settingsOf(name) } as NodeJS.ProcessEnv;
    child = fork(main, { env, stdio: 'pipe', execArgv: [] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    const find = () => /"apiUrl":"([^"]+)"/.exec(output)?.[1];
    return waitFor('the gateway to listen', find).catch(() => {
      throw new Error(`the gateway did not start:\n${output}`);
    });
  }

  /** Returns the status and code of a lookup of a name that was never requested before. */
  async function lookUp(apiUrl: string, key: string): Promise<{ status: number; code?: string }> {
    const path = `/v2.0/whois/live?domainName=several-${++names}.com`;
    const response = await fetch(apiUrl + path, { headers: { 'x-api-key': key } });
    const { code } = (await response.json()) as { code?: string };
    return { status: response.status, code };
  }

  async function joined(name: string): Promise<Customer> {
    const origins = { ...solo, mailboxUrl: `${solo.dashboardUrl}/mailbox` };
    const customer = new Customer(origins, `${name}@several.example`);
    await customer.join();
    await expectLeft(customer, TRIAL_CREDITS);
    return customer;
  }

  /** Waits until the account has the given number of credits, whether leased or not. */
  async function expectLeft({ accountId }: Customer, left: number): Promise<void> {
    const { entitlement } = second.services;
    await waitFor(`${left} credits to be left`, async () => {
      const { spendable, reserved } = await entitlement.balance(accountId);
      return spendable + reserved === left;
    });
  }

  async function revokeKey(customer: Customer): Promise<void> {
    const { body } = await customer.call('GET', '/api/keys');
    const keys = body.keys as { id: string; environment: string }[];
    const { id } = keys.find(({ environment }) => environment === 'live')!;
    expect((await customer.call('DELETE', `/api/keys/${id}`)).status).toBe(200);
  }

  it('S13: a revocation reaches every gateway through the change feed alone, without any events', async () => {
    const customer = await joined('revoked');
    const gateways = [second.apiUrl, third.apiUrl, solo.apiUrl];
    for (const apiUrl of gateways) {
      expect(await lookUp(apiUrl, customer.key)).toMatchObject({ status: 200 });
    }
    await revokeKey(customer);
    const refused = gateways.map(async (apiUrl) =>
      waitFor('401', async () => (await lookUp(apiUrl, customer.key)).status === 401),
    );
    await Promise.all(refused);
  });

  it('the last credits that one gateway has leased can be spent through another, without a 402 in between', async () => {
    const customer = await joined('last-credits');
    const { accountId, key } = customer;
    expect(await lookUp(second.apiUrl, key)).toMatchObject({ status: 200 });
    await expectLeft(customer, TRIAL_CREDITS - 1);
    // Another holder spends all credits that the second gateway has not leased.
    const { entitlement } = second.services;
    const { spendable } = await entitlement.balance(accountId);
    const [leaseId, gatewayId] = [newId(), newId()];
    const wanted = { min: spendable, wanted: spendable };
    const lease = await entitlement.acquire({ accountId, leaseId, gatewayId, ...wanted });
    expect(lease).toMatchObject({ outcome: 'granted', amount: spendable });
    await entitlement.close({ accountId, leaseId, consumed: spendable });
    const left = TRIAL_CREDITS - 1 - spendable;
    expect(left).toBeGreaterThan(1);

    const refusals: unknown[] = [];
    await waitFor('credits of the second gateway at the third', async () => {
      const answer = await lookUp(third.apiUrl, key);
      if (answer.status !== 200) refusals.push(answer.code);
      return answer.status === 200;
    });
    expect(refusals).not.toContain('insufficient_credits');
    await expectLeft(customer, left - 1);
    // The remaining credits are also spent. Then no credits are left, and every gateway says so.
    await waitFor('the rest', async () => {
      const restId = newId();
      const rest = { min: left - 1, wanted: left - 1 };
      const answer = await entitlement.acquire({ accountId, leaseId: restId, gatewayId, ...rest });
      if (answer.outcome !== 'granted') return false;
      await entitlement.close({ accountId, leaseId: restId, consumed: left - 1 });
      return true;
    });
    for (const { apiUrl } of [second, third]) {
      expect(await lookUp(apiUrl, key)).toMatchObject({ status: 402 });
    }
  });

  it('a killed gateway charges exactly the answers that it gave, once it has restarted', async () => {
    const customer = (killed = await joined('killed'));
    const { key } = customer;
    const apiUrl = await forkGateway('killed');
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await lookUp(i % 3 ? apiUrl : second.apiUrl, key));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const inJournal = () => readLeases(readFileSync(join(folder, 'killed.journal'), 'utf8'));
    await waitFor(
      'the end of the requests',
      () => inJournal().reduce((sum, { consumed }) => sum + consumed, 0) === 4,
    );
    child?.kill('SIGKILL');
    await once(child!, 'exit');
    expect(await lookUp(second.apiUrl, key)).toMatchObject({ status: 200 });
    await forkGateway('killed');
    await expectLeft(customer, TRIAL_CREDITS - 7);
    await waitFor('its leases to be closed', () => inJournal().length === 0);
  });

  it('S13: a gateway that is cut off from account serves cached keys, and answers 503 once they are no longer trusted', async () => {
    // No event about this customer is pending.
    const { key } = killed;
    expect(await lookUp(third.apiUrl, key)).toEqual({ status: 200 });
    await wire.refuse();
    await revokeKey(killed);
    await waitFor('401', async () => (await lookUp(second.apiUrl, key)).status === 401);
    expect(await lookUp(third.apiUrl, key)).toEqual({ status: 200 });
    const refusal = await waitFor('the refusal', async () => {
      // Ends the minute for which records may be used after a successful poll. A poll that was in progress may extend
      // it.
      third.authCache.trustUntil(0);
      const answer = await lookUp(third.apiUrl, key);
      return answer.status === 200 ? undefined : answer;
    });
    expect(refusal).toEqual({ status: 503, code: 'service_unavailable' });
  });
});
