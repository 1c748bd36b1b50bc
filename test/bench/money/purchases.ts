import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EntitlementClient, type OrderAnswer, ServiceHttp } from '#libs/contracts';
import { ServiceTokens, SystemClock, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import {
  ServiceProxy,
  type Visitor,
} from '../../../apps/gateway/src/dashboard/proxy/service-proxy.js';
import { requireSession } from '../../../apps/gateway/src/dashboard/proxy/sessions.js';
import { type RunningSolo, startSolo } from '../../../apps/solo/src/solo.js';
import { type BenchRow, percentile } from '../bench.js';
import { cleanup } from '../cleanup.js';

const PURCHASES = 60;
const SIGN_UPS_AT_ONCE = 5;
const CREDITS = 15_000;
const PASSWORD = 'correct horse battery staple 42';
const TARGET_MS = 200;

interface Buyer {
  accountId: string;
  key: string;
  visitor: Visitor;
}

/**
 * A package is paid at the simulated Stripe; the key works with it once a lookup is answered under the
 * package's limit. Each buyer has the trial's limit until then.
 */
export async function purchaseTimes(): Promise<BenchRow[]> {
  const shop = await Shop.open();
  const buyers: Buyer[] = [];
  for (let first = 0; first < PURCHASES; first += SIGN_UPS_AT_ONCE) {
    const some = Array.from({ length: SIGN_UPS_AT_ONCE }, (_, at) => shop.signUp(first + at));
    buyers.push(...(await Promise.all(some)));
  }
  const times: number[] = [];
  for (const buyer of buyers) times.push(await shop.buy(buyer));
  const p99 = percentile(times, 0.99);
  const what = `paid → the key has the new limit, ${PURCHASES} purchases in solo`;
  return [
    { what: `${what}, p50`, value: percentile(times, 0.5), unit: 'ms' },
    { what: `${what}, p99`, value: p99, unit: 'ms', target: `≤ ${TARGET_MS} ms`, ok: p99 <= 200 },
  ];
}

/** An installation in this process, and people who buy there. */
class Shop {
  private readonly accounts: ServiceProxy;
  private readonly orders: ServiceProxy;
  private readonly entitlement: ServiceHttp;
  private lookups = 0;

  private constructor(private readonly solo: RunningSolo) {
    const { accountUrl, entitlementUrl: url, settings } = solo;
    const tokens = new ServiceTokens(settings.SERVICE_SECRET!, new SystemClock());
    const billingUrl = settings.BILLING_INTERNAL_URL!;
    this.accounts = new ServiceProxy({ service: 'account', url: accountUrl, tokens });
    this.orders = new ServiceProxy({ service: 'billing', url: billingUrl, tokens });
    this.entitlement = new ServiceHttp({ url, caller: 'gateway', audience: 'entitlement', tokens });
    cleanup.add(() =>
      Promise.all([this.accounts, this.orders, this.entitlement].map((http) => http.close())),
    );
  }

  static async open(): Promise<Shop> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-money-'));
    cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
    const starting = startSolo({
      dataFolder: folder,
      apiPort: 0,
      dashboardPort: 0,
      offline: true,
      overrides: { GATEWAY_LOOP_DELAY_MAX_MS: '60000' },
      log: { path: join(folder, 'solo.log'), write: () => undefined },
    });
    cleanup.add(async () => (await starting).stop());
    return new Shop(await starting);
  }

  /** Each from a network of its own. */
  async signUp(place: number): Promise<Buyer> {
    const visitor: Visitor = { clientAddress: `10.0.${place}.1`, requestId: newId() };
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
    return { accountId, visitor, key: (answer.body as { key: string }).key };
  }

  /** @returns milliseconds from the payment until the key works. */
  async buy({ accountId, key, visitor }: Buyer): Promise<number> {
    const before = await waitFor('the limit of the trial', () => this.limitOf(key));
    const { refusal, body } = await this.orders.call({
      method: 'POST',
      path: '/internal/orders',
      visitor,
      accountId,
      body: { product: 'package', credits: CREDITS, processor: 'stripe' },
    });
    if (refusal) throw new Error('an order was refused', { cause: refusal });
    const page = new URL((body as OrderAnswer).redirect_url as string);
    const paidMs = performance.now();
    this.solo.payments!.sessions.pay(page.pathname.split('/').at(-1) as string);
    await waitFor('the limit of the package', async () => (await this.limitOf(key)) > before);
    const ms = performance.now() - paidMs;
    const { spendable, reserved } = await new EntitlementClient(this.entitlement).balance(
      accountId,
    );
    if (spendable + reserved < CREDITS) throw new Error('a limit came without its credits');
    return ms;
  }

  /** The limit a lookup is answered under; 0 while the key is not known. */
  private async limitOf(key: string): Promise<number> {
    const query = `format=json&domainName=bought-${++this.lookups}.com&apiKey=${key}`;
    const answer = await fetch(`${this.solo.apiUrl}/v2.0/whois/live?${query}`);
    await answer.arrayBuffer();
    const said = answer.headers.get('ratelimit-policy') ?? '';
    return Number(/q=(\d+)/.exec(said)?.[1] ?? 0);
  }

  private async tokenMailedTo(email: string): Promise<string> {
    return waitFor(`the letter to ${email}`, async () => {
      const mails = await this.solo.mailbox.newest(50);
      const mail = mails.find(({ to }) => to === email);
      return /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
    });
  }

  private async askAccount(path: string, body: object, visitor: Visitor) {
    const internal = `/internal/dashboard${path}`;
    const answer = await this.accounts.call({ method: 'POST', path: internal, visitor, body });
    if (answer.refusal) throw new Error(`${path} was refused`, { cause: answer.refusal });
    return answer;
  }
}
