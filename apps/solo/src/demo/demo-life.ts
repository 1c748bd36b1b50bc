import {
  type ChosenProcessor,
  EntitlementClient,
  type KeysAnswer,
  type OrderAnswer,
  ServiceHttp,
} from '#libs/contracts';
import { type Clock, SECOND_MS, ServiceTokens, newId } from '#libs/platform';
import {
  type ProxiedAnswer,
  ServiceProxy,
  type BrowserCaller,
} from '../../../dashboard/src/service-calls/service-proxy.js';
import type { PageCall } from '../../../dashboard/src/dashboard-calls.js';
import { requireSession } from '../../../dashboard/src/service-calls/sessions.js';
import type { PaymentsSimulator } from '../../../simulators/src/payments/payments-simulator.js';
import type { DemoFacts } from '../announcement/solo-facts.js';
import type { DataFolder } from '../data-folder/data-folder.js';
import type { Secrets } from '../data-folder/secrets.js';
import { seedPastUse } from './demo-ledger.js';
import { type DemoCost, type LogAddresses, seedDemoUsage } from './demo-usage.js';
import { startDemoWork } from './demo-work.js';

const FILE = 'demo-life.json';
const CALL_TIMEOUT_MS = 20 * SECOND_MS;

const DETAILS = {
  organisation: 'Demo Ltd',
  address_line1: '1 Example Street',
  city: 'London',
  postal_code: 'N1 1AA',
  country: 'GB',
};

/**
 * The account's purchases in order. Each purchase is made once, because its name is the idempotency key of the order.
 */
const PURCHASES: readonly [name: string, processor: ChosenProcessor, wish: object][] = [
  ['demo-package-5K', 'stripe', { product: 'package', credits: 5_000 }],
  ['demo-package-15K', 'paypal', { product: 'package', credits: 15_000 }],
  ['demo-plan', 'stripe', { product: 'subscription', sku: 'api-15K-month' }],
];

export interface DemoLifeSurroundings {
  accountUrl: string;
  billingUrl: string;
  workerUrl: string;
  entitlementUrl: string;
  payments: PaymentsSimulator;
  log: LogAddresses;
  /** The URL of entitlement's database, for the role that owns the tables. */
  ledger: string;
  clock: Clock;
}

/**
 * Fills the demo account with data: 30 days of invented requests with their cost; then billing details, two packages
 * and a plan, which the account buys at the simulated processors as a customer would; and finally jobs, monitors and a
 * webhook. All of this is created once. If a start was stopped halfway, the next start completes it. @returns whether
 * anything was missing.
 */
export async function seedDemoLife(
  around: DemoLifeSurroundings,
  folder: DataFolder,
  secrets: Secrets,
  demo: DemoFacts,
): Promise<boolean> {
  if (folder.readJson(FILE)) return false;
  const tokens = new ServiceTokens(secrets.get('SERVICE_SECRET'), around.clock);
  const account = new ServiceProxy({ service: 'account', url: around.accountUrl, tokens });
  const billing = new ServiceProxy({ service: 'billing', url: around.billingUrl, tokens });
  const worker = new ServiceProxy({ service: 'worker', url: around.workerUrl, tokens });
  const entitlement = new ServiceHttp({
    url: around.entitlementUrl,
    caller: 'worker',
    audience: 'entitlement',
    tokens,
    timeoutMs: CALL_TIMEOUT_MS,
  });
  try {
    const holds = new EntitlementClient(entitlement);
    await new DemoLife({ account, billing, worker }, holds, around).run(demo);
  } finally {
    await account.close();
    await billing.close();
    await worker.close();
    await entitlement.close();
  }
  folder.writePrivateJson(FILE, { made_at: around.clock.now().toISOString() });
  return true;
}

class DemoLife {
  private readonly visitor: BrowserCaller = { clientAddress: '127.0.0.1', requestId: newId() };

  constructor(
    private readonly services: Record<'account' | 'billing' | 'worker', ServiceProxy>,
    private readonly entitlement: EntitlementClient,
    private readonly around: DemoLifeSurroundings,
  ) {}

  async run({ email, password }: DemoFacts): Promise<void> {
    const { beginsSession } = await this.ask('POST', '/log-in', { email, password });
    this.visitor.sessionToken = beginsSession;
    const { accountId } = await requireSession(this.services.account, this.visitor);
    await this.use(accountId);
    await this.ask('PUT', '/billing-details', DETAILS);
    for (const [name, processor, wish] of PURCHASES) {
      await this.buy(accountId, { ...wish, processor }, name);
    }
    await startDemoWork(
      (method, path, body) => this.askFor('worker', accountId, { method, path, body }),
      () => this.entitlement.allowance(accountId),
    );
    await this.ask('POST', '/log-out');
  }

  /** Invents requests. This must happen before the purchases, because the ledger is ordered by day. */
  private async use(accountId: string): Promise<void> {
    const { keys } = (await this.ask('GET', '/keys')).body as KeysAnswer;
    const live = keys.find((key) => key.environment === 'live' && key.state === 'active');
    if (!live) return;
    const { log, ledger, clock } = this.around;
    const costs = await seedDemoUsage(log, { accountId, keyId: live.id }, clock);
    const today = clock.now().toISOString().slice(0, 10);
    const past = costs.filter(({ day }) => day < today);
    await seedPastUse(ledger, accountId, past, clock);
    for (const cost of costs.slice(past.length)) await this.spend(accountId, cost);
  }

  /**
   * Spends credits as a job does. The id is fixed, so that a repeated call counts once. @throws Error if there are too
   * few credits; the errors of the calls.
   */
  private async spend(accountId: string, { day, operation, credits }: DemoCost): Promise<void> {
    const holdId = `demo-usage:${day}:${operation}`;
    const { outcome } = await this.entitlement.hold({
      accountId,
      holdId,
      amount: credits,
      operation,
    });
    if (outcome === 'closed') return;
    if (outcome !== 'held') throw new Error(`the demo account lacks credits: ${outcome}`);
    await this.entitlement.settleHold(accountId, holdId, 'all', credits);
    await this.entitlement.closeHold(accountId, holdId);
  }

  /**
   * Places an order, and pays for it on the simulated processor's page as a customer does. A second call with the same
   * key finds the paid order and does nothing.
   */
  private async buy(accountId: string, wish: object, idempotencyKey: string): Promise<void> {
    const call = { method: 'POST', path: '/orders', body: wish, idempotencyKey } as const;
    const order = (await this.askFor('billing', accountId, call)) as OrderAnswer;
    if (order.redirect_url === null) return;
    this.around.payments.press(order.redirect_url, 'pay');
    const path = `/orders/${order.id}/return`;
    await this.askFor('billing', accountId, { method: 'POST', path, body: {} });
  }

  /** Makes the call that a page would make for the account of the session. @throws the refusal of the service. */
  private async askFor(
    service: 'billing' | 'worker',
    accountId: string,
    call: PageCall,
  ): Promise<unknown> {
    const path = `/internal${call.path}`;
    const made = { ...call, path, visitor: this.visitor, accountId, timeoutMs: CALL_TIMEOUT_MS };
    return succeeded(await this.services[service].call(made));
  }

  private async ask(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: object,
  ): Promise<ProxiedAnswer> {
    const { visitor } = this;
    const at = `/internal/dashboard${path}`;
    const call = { method, path: at, visitor, body, timeoutMs: CALL_TIMEOUT_MS };
    const answer = await this.services.account.call(call);
    succeeded(answer);
    return answer;
  }
}

/** Returns the body of an answer. @throws the refusal of the service. */
function succeeded({ refusal, body }: ProxiedAnswer): unknown {
  if (refusal) throw refusal;
  return body;
}
