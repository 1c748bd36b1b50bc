import { join } from 'node:path';
import { EntitlementClient, type OrderAnswer, ServiceHttp } from '#libs/contracts';
import { ServiceTokens, SystemClock, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { startCluster } from '../../../apps/cluster/src/cluster.js';
import {
  ServiceProxy,
  type BrowserCaller,
} from '../../../apps/dashboard/src/service-calls/service-proxy.js';
import { requireSession } from '../../../apps/dashboard/src/service-calls/sessions.js';
import type { PaymentsSimulator } from '../../../apps/simulators/src/payments/payments-simulator.js';
import { startSolo } from '../../../apps/solo/src/solo.js';
import { newFolder } from '../bench.js';
import { cleanup } from '../cleanup.js';

const PASSWORD = 'correct horse battery staple 42';
/** A busy event loop is what is measured here, not what ends the measurement. */
const UNHURRIED = { GATEWAY_LOOP_DELAY_MAX_MS: '60000' };

/** What is asked of an installation, whichever way its services run. */
interface Installation {
  apiUrl: string;
  accountUrl: string;
  billingUrl: string;
  entitlementUrl: string;
  serviceSecret: string;
  payments: PaymentsSimulator;
  mailbox: { newest(limit: number): Promise<{ to: string; text: string }[]> };
}

export interface Buyer {
  accountId: string;
  key: string;
  testKey: string;
  visitor: BrowserCaller;
}

/** An installation with a simulated Stripe, and people who buy there. */
export class Shop {
  private readonly accounts: ServiceProxy;
  private readonly orders: ServiceProxy;
  private readonly entitlement: ServiceHttp;
  private lookups = 0;

  private constructor(private readonly installation: Installation) {
    const { accountUrl, billingUrl, entitlementUrl: url, serviceSecret } = installation;
    const tokens = new ServiceTokens(serviceSecret, new SystemClock());
    this.accounts = new ServiceProxy({ service: 'account', url: accountUrl, tokens });
    this.orders = new ServiceProxy({ service: 'billing', url: billingUrl, tokens });
    this.entitlement = new ServiceHttp({ url, caller: 'gateway', audience: 'entitlement', tokens });
    cleanup.add(() =>
      Promise.all([this.accounts, this.orders, this.entitlement].map((http) => http.close())),
    );
  }

  /** Every service in this process. */
  static async inSolo(): Promise<Shop> {
    const folder = newFolder('money');
    const starting = startSolo({
      dataFolder: folder,
      apiPort: 0,
      dashboardPort: 0,
      offline: true,
      overrides: UNHURRIED,
      log: { path: join(folder, 'solo.log'), write: () => undefined },
    });
    cleanup.add(async () => (await starting).stop());
    const { settings, payments, ...solo } = await starting;
    return new Shop({
      ...solo,
      billingUrl: settings.BILLING_INTERNAL_URL!,
      serviceSecret: settings.SERVICE_SECRET!,
      payments: payments!,
    });
  }

  /** A process for each service, with Kafka between them. */
  static async onKafka(): Promise<Shop> {
    const starting = startCluster({
      folder: join(newFolder('money'), 'cluster'),
      payments: 'simulated',
      environment: { gateway: UNHURRIED },
    });
    // From now on, so that a signal during the start leaves nothing behind either.
    cleanup.add(async () => (await starting).stop());
    const cluster = await starting;
    const { facts, gateways, mailbox, payments, settings } = cluster;
    return new Shop({
      apiUrl: gateways[0].apiUrl,
      accountUrl: facts.account_url,
      billingUrl: cluster.process('billing').url,
      entitlementUrl: facts.entitlement_url,
      serviceSecret: settings.operator().SERVICE_SECRET!,
      payments: payments!,
      mailbox,
    });
  }

  /** Each from a network of its own. */
  async signUp(place: number): Promise<Buyer> {
    const visitor: BrowserCaller = { clientAddress: `10.0.${place}.1`, requestId: newId() };
    const email = `buyer${place}@bench.example`;
    const person = { first_name: 'Ada', email, password: PASSWORD };
    await this.askAccount('/sign-up', person, visitor);
    const token = await this.tokenMailedTo(email);
    const answer = await this.askAccount(
      '/sign-up/confirm',
      { token, password: PASSWORD },
      visitor,
    );
    visitor.sessionToken = answer.beginsSession;
    const { accountId } = await requireSession(this.accounts, visitor);
    const { key, test_key: testKey } = answer.body as { key: string; test_key: string };
    return { accountId, visitor, key, testKey };
  }

  /** @returns milliseconds from the payment until a lookup with the key is answered under the higher limit. */
  async buy({ accountId, key, testKey, visitor }: Buyer, wish: object): Promise<number> {
    // The test key has the limits of its account, and asks no registry.
    const limitNow = () => this.limitOf(testKey, 'registered.test');
    const before = await waitFor('the limit of before', limitNow);
    const { refusal, body } = await this.orders.call({
      method: 'POST',
      path: '/internal/orders',
      visitor,
      accountId,
      body: { ...wish, processor: 'stripe' },
    });
    if (refusal) throw new Error('an order was refused', { cause: refusal });
    const page = new URL((body as OrderAnswer).redirect_url as string);
    const paidMs = performance.now();
    this.installation.payments.sessions.pay(page.pathname.split('/').at(-1) as string);
    await waitFor('the limit of what was bought', async () => (await limitNow()) > before);
    const limit = await this.limitOf(key, `bought-${++this.lookups}.com`);
    const ms = performance.now() - paidMs;
    if (limit <= before) throw new Error(`the key has the limit ${limit}`);
    return ms;
  }

  /** Credits that an account has, whoever holds them. */
  async creditsOf({ accountId }: Buyer): Promise<number> {
    const { spendable, reserved } = await new EntitlementClient(this.entitlement).balance(
      accountId,
    );
    return spendable + reserved;
  }

  /** The limit a lookup is answered under; 0 while the key is not known. */
  private async limitOf(key: string, name: string): Promise<number> {
    const query = `format=json&domainName=${name}&apiKey=${key}`;
    const answer = await fetch(`${this.installation.apiUrl}/v2.0/whois/live?${query}`);
    await answer.arrayBuffer();
    return Number(answer.headers.get('x-ratelimit-allowed-requests') ?? 0);
  }

  private async tokenMailedTo(email: string): Promise<string> {
    return waitFor(`the letter to ${email}`, async () => {
      const mails = await this.installation.mailbox.newest(50);
      const mail = mails.find(({ to }) => to === email);
      return /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
    });
  }

  private async askAccount(path: string, body: object, visitor: BrowserCaller) {
    const internal = `/internal/dashboard${path}`;
    const answer = await this.accounts.call({ method: 'POST', path: internal, visitor, body });
    if (answer.refusal) throw new Error(`${path} was refused`, { cause: answer.refusal });
    return answer;
  }
}
