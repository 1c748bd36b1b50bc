import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Type } from '@nestjs/common';
import type { ChosenProcessor, OrderAnswer, Owned } from '#libs/contracts';
import { type Database, type ViolatedInvariant, withClient } from '#libs/database';
import { LocalMailbox, MailSender } from '#libs/mail';
import { type Clock, type Job, type ServiceName, newId } from '#libs/platform';
import { type RecordedEvent, TestClock, TestDatabase, recordedEvents } from '#test/environment';
import { PrintInvoicesJob } from '../../apps/billing/src/invoices/print-invoices.job.js';
import { CloseCheckoutsJob } from '../../apps/billing/src/orders/close-checkouts.job.js';
import { ReturnMoneyJob } from '../../apps/billing/src/refunds/return-money.job.js';
import { FollowAccountsJob } from '../../apps/billing/src/followed-subscriptions/follow-accounts.job.js';
import { FollowTaxJob } from '../../apps/billing/src/subscription-tax/follow-tax.job.js';
import { BILLING_INVARIANTS } from '../../apps/billing/src/auditor/invariants.js';
import { BillingConfig } from '../../apps/billing/src/billing.config.js';
import { ENTITIES, startBilling } from '../../apps/billing/src/start.js';
import { SyncObjectsJob } from '../../apps/billing/src/processor-sync/sync-objects.job.js';
import { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { ServiceUnderTest } from '../environment/service-under-test.js';
import { AccountContacts } from '../stand-ins/account-contacts.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import { JsonServer, LoopbackServer } from '../stand-ins/json-server.js';
import { type AccountFate, deliverFate } from './account-fate.js';
import { type CheckoutAction, pressButton } from './hosted-page.js';

const MAILS_MAX = 500;
const SIGNATURE = /^(stripe-signature|paypal-[\w-]+)$/;
export const CALLBACK_SECRET = 'the secret of the callback endpoint';
export const PAYPAL_WEBHOOK_ID = '5GP028458E2496506';

export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members of any answer
  body: any;
}

export interface Call {
  body?: object | Buffer;
  accountId?: string;
  caller?: ServiceName;
  headers?: Record<string, string>;
}

type MovedClock = Clock & Pick<TestClock, 'set' | 'advance'>;

export class BillingUnderTest extends ServiceUnderTest<TestDatabase, MovedClock> {
  protected constructor(test: TestDatabase, clock: MovedClock) {
    const consumers = { account: ['billing'], billing: [] } as const;
    super('billing', test, clock, { consumers, logged: 'error' });
    this.simulator = new PaymentsSimulator(clock);
  }

  readonly simulator: PaymentsSimulator;
  database: Database;
  config: BillingConfig;
  mailbox: LocalMailbox;
  readonly contacts = new AccountContacts();
  /** What entitlement knows about accounts: their credits and debts. */
  readonly holdings = new Map<string, Partial<Owned>>();
  readonly entitlement = new JsonServer(({ headers, url }) => {
    const owned = this.holdings.get(headers['x-account-id'] as string);
    const nothing = { packages: [], subscriptions: [], debt: '0' };
    return url === '/internal/owned' ? { ...nothing, ...owned } : [];
  });
  /** Endpoints for callbacks in place of the dashboard's. */
  private readonly endpoints = ['stripe', 'paypal'].map(
    (processor) =>
      new LoopbackServer((request, response) => this.forward(processor, request, response)),
  );

  static async start(settings: Partial<BillingConfig> = {}): Promise<BillingUnderTest> {
    const billing = new BillingUnderTest(await TestDatabase.create(), new TestClock());
    await billing.open(settings);
    return billing;
  }

  override async stop(): Promise<void> {
    await this.simulator.stop();
    await Promise.all(this.endpoints.map((endpoint) => endpoint.stop()));
    await super.stop();
    await this.contacts.stop();
    await this.entitlement.stop();
  }

  async call(method: 'GET' | 'POST', path: string, call: Call = {}): Promise<Answer> {
    const answer = await this.service.app.inject({
      method,
      url: `/internal/${path}`,
      headers: this.headersOf(call),
      ...(call.body !== undefined && { payload: call.body }),
    });
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
  }

  protected headersOf({ body, accountId, caller = 'gateway', headers }: Call) {
    const isRaw = Buffer.isBuffer(body);
    return {
      authorization: `Bearer ${this.tokens.issue(caller, 'billing')}`,
      ...(accountId !== undefined && { 'x-account-id': accountId }),
      ...(body && { 'content-type': isRaw ? 'application/octet-stream' : 'application/json' }),
      ...headers,
    };
  }

  async runJob(job: Type<Job>): Promise<void> {
    await this.get(job).runOnce();
  }

  /** Returns violated invariants, of all rows or of those after a key. */
  async violations(from?: string): Promise<ViolatedInvariant[]> {
    return this.violated(BILLING_INVARIANTS, { from });
  }

  takeErrors(): string[] {
    return this.logLines.splice(0);
  }

  async bytes(path: string, accountId: string) {
    const authorization = `Bearer ${this.tokens.issue('gateway', 'billing')}`;
    const headers = { authorization, 'x-account-id': accountId };
    const answer = await this.service.app.inject({ url: `/internal/${path}`, headers });
    return { status: answer.statusCode, headers: answer.headers, body: answer.rawPayload };
  }

  async order(
    accountId: string,
    credits = 15_000,
    processor: ChosenProcessor = 'stripe',
  ): Promise<OrderAnswer> {
    const body = { product: 'package', credits, processor };
    const answer = await this.call('POST', 'orders', { accountId, body });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer));
    return answer.body as OrderAnswer;
  }

  async stateOf(accountId: string, { id }: Pick<OrderAnswer, 'id'>): Promise<string> {
    const answer = await this.call('GET', `orders/${id}`, { accountId });
    return (answer.body as OrderAnswer).state;
  }

  /** Acts on the order's checkout page, and delivers the callbacks. @returns the next URL, or the page's text. */
  async act({ redirect_url: url }: OrderAnswer, action: CheckoutAction): Promise<string> {
    const end = await pressButton(url as string, action);
    await this.settle();
    return end;
  }

  async ordersOf(accountId: string): Promise<string[]> {
    const sql = 'select id from orders where account_id = $1';
    const rows = await this.database.query<{ id: string }>(sql, [accountId]);
    return rows.map(({ id }) => id);
  }

  /**
   * Resolves when every callback has arrived and been handled, including callbacks that result from handling others:
   * when billing captures an approved payment, PayPal sends a second callback.
   */
  async settle(): Promise<void> {
    const { callbacks, paypal } = this.simulator;
    for (let round = 1; round <= 2; round += 1) {
      await Promise.all([callbacks.idle(), paypal.callbacks.idle()]);
      await this.runJob(SyncObjectsJob);
    }
  }

  /** Runs all postponed fetches now, for example after the processor was unavailable or an object did not exist yet. */
  async retry(): Promise<void> {
    await this.database.query(
      `update work set until = clock_timestamp()
       where queue = 'processor-objects' and state = 'waiting'`,
    );
    await this.settle();
  }

  /** Prints invoices and sends e-mails. @returns the e-mails to the account, oldest first. */
  async deliverMail(accountId: string) {
    await this.runJob(PrintInvoicesJob);
    await this.runJob(MailSender);
    const { email } = this.contacts.contactOf(accountId);
    const mails = await this.mailbox.newest(MAILS_MAX);
    return mails.filter(({ to }) => to === email).toReversed();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.simulator.clock.runDue();
    await this.database.query(
      `update work set until = until - $1 * interval '1 ms' where state = 'waiting'`,
      [ms],
    );
    await this.settle();
  }

  async deliver(fate: AccountFate, accountId: string): Promise<void> {
    const at = this.clock.now();
    await deliverFate(this.service, { fate, accountId, at });
  }

  /**
   * Runs the jobs that follow changes to accounts and tax rates, and those that return money. Delivers the resulting
   * callbacks.
   */
  async follow(): Promise<void> {
    for (const job of [CloseCheckoutsJob, FollowAccountsJob, FollowTaxJob, ReturnMoneyJob]) {
      await this.runJob(job);
    }
    await this.settle();
  }

  /** Runs `work` while every update of the row with this id fails. */
  async whileStuck(table: string, id: string, work: () => Promise<void>): Promise<void> {
    await withClient(this.test.url(), async (client) => {
      await client.query(
        `create function billing.stuck() returns trigger language plpgsql as 'begin raise ''stuck''; end';
         create trigger stuck before update on billing.${table} for each row
           when (new.id = '${id}') execute function billing.stuck()`,
      );
      try {
        await work();
      } finally {
        await client.query('drop function billing.stuck cascade');
      }
    });
  }

  async events(accountId: string): Promise<RecordedEvent[]> {
    return recordedEvents(this.database, accountId);
  }

  newAccount(): string {
    return newId();
  }

  /** Delivers a callback's bytes with its processor's headers, as the dashboard's route does. */
  private async forward(
    processor: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const own = Object.entries(request.headers).filter(([name]) => SIGNATURE.test(name));
    const headers = Object.fromEntries(own) as Record<string, string>;
    const delivery = { body: await buffer(request), headers };
    const { status } = await this.call('POST', `callbacks/${processor}`, delivery).catch(() => ({
      status: 500,
    }));
    // Billing was killed, so there is no answer.
    if (status === 0) response.destroy();
    else response.writeHead(status).end();
  }

  protected async open(settings: Partial<BillingConfig>): Promise<void> {
    const { test, contacts, entitlement, simulator } = this;
    this.database = await test.service('billing', ENTITIES);
    const apiUrl = await simulator.start();
    await contacts.start();
    await entitlement.start();
    this.mailbox = new LocalMailbox(this.clock);
    await this.serve({
      ...this.settings,
      invoiceDataSecret: 'wraps the keys of invoices in tests',
      stripeApiKey: 'sk_test_simulator',
      stripeApiUrl: apiUrl,
      stripeCallbackSecrets: [CALLBACK_SECRET],
      paypalClientId: 'simulator',
      paypalClientSecret: HARNESS_SECRET,
      paypalApiUrl: `${apiUrl}/paypal`,
      paypalWebhookIds: [PAYPAL_WEBHOOK_ID],
      paypalCallbackCa: simulator.paypal.identity.authorityPem,
      accountUrl: contacts.url,
      entitlementUrl: entitlement.url,
      processorCallsPerSecond: 1_000,
      ...settings,
    });
    const [ofStripe, ofPaypal] = this.endpoints;
    await Promise.all([ofStripe.start(), ofPaypal.start()]);
    simulator.callbacks.target = { url: ofStripe.url, secret: CALLBACK_SECRET };
    simulator.paypal.callbacks.target = { url: ofPaypal.url, secret: PAYPAL_WEBHOOK_ID };
  }

  protected async serve(settings: Partial<BillingConfig>): Promise<void> {
    this.config = Object.assign(new BillingConfig(), settings);
    const { config, clock, logger, transport, mailbox: mail } = this;
    // On a schedule, jobs would sometimes run between two steps of a spec.
    const options = { config, clock, logger, transport, mail, isScheduled: false };
    this.service = await startBilling(options);
  }
}
