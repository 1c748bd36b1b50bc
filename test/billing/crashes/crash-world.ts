import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventClassOf } from '#libs/contracts';
import type { Database } from '#libs/database';
import { DAY_MS, MINUTE_MS, ServiceTokens } from '#libs/platform';
import { FileClock, TestDatabase, recordedEvents } from '#test/environment';
import type { BillingConfig } from '../../../apps/billing/src/billing.config.js';
import { PaymentsSimulator } from '../../../apps/simulators/src/payments/payments-simulator.js';
import { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';
import { AccountContacts } from '../../stand-ins/account-contacts.js';
import { SECRET, billingSettings, openEndpoints } from '../billing-under-test.js';
import type { CallbackEndpoint } from '../callback-endpoint.js';
import { BillingProcess } from './billing-process.js';

/** Every job that runs at least every ten minutes. */
const JOBS = [
  'OpenOrdersJob',
  'SyncObjectsJob',
  'SettleRefundsJob',
  'CloseCheckoutsJob',
  'FollowAccountsJob',
  'FollowTaxJob',
  'ReturnMoneyJob',
  'MissedEventsJob',
  'SyncObjectsJob',
];

/** Billing in a process that may be killed, with a processor and an entitlement that keep running. */
export class CrashWorld {
  readonly clock: FileClock;
  readonly simulator: PaymentsSimulator;
  readonly contacts = new AccountContacts();
  test: TestDatabase;
  database: Database;
  billing: BillingProcess;
  entitlement: EntitlementUnderTest;
  private endpoints: CallbackEndpoint[] = [];

  private constructor(private readonly folder: string) {
    this.clock = FileClock.create(join(folder, 'clock'));
    this.simulator = new PaymentsSimulator(this.clock);
  }

  static async open(settings: Partial<BillingConfig> = {}): Promise<CrashWorld> {
    const world = new CrashWorld(mkdtempSync(join(tmpdir(), 'money-crashes-')));
    world.test = await TestDatabase.create();
    world.database = await world.test.service('billing');
    await world.contacts.start();
    world.entitlement = await EntitlementUnderTest.start();
    const config = {
      ...billingSettings(world.test, world.simulator, await world.simulator.start()),
      accountUrl: world.contacts.url,
      entitlementUrl: world.entitlement.service.url,
      taxRates: ['DE=19'],
      ...settings,
    };
    const clockFile = join(world.folder, 'clock');
    const tokens = new ServiceTokens(SECRET, world.clock);
    world.billing = new BillingProcess({ config, clockFile }, world.folder, tokens);
    world.endpoints = await openEndpoints(world.simulator, (processor, body, headers) =>
      world.billing.call('POST', `callbacks/${processor}`, { body, headers }),
    );
    return world;
  }

  async close(): Promise<void> {
    await this.billing.kill();
    await this.simulator.stop();
    await Promise.all(this.endpoints.map((endpoint) => endpoint.close()));
    await this.entitlement.stop();
    await this.contacts.stop();
    await this.test.drop();
    this.clock.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Delivers all callbacks and waits for their effects. */
  async settle(): Promise<void> {
    await this.callbacksIdle();
    await this.billing.runJob('SyncObjectsJob');
  }

  /** Advances time and runs jobs without any action by a person. */
  async heal(): Promise<void> {
    // Work of a dead process is taken over after half a minute of the database's time.
    await this.database.query(`update work set until = clock_timestamp() where state = 'claimed'`);
    for (let round = 0; round < 2; round += 1) {
      this.clock.advance(11 * MINUTE_MS);
      this.simulator.clock.runDue();
      await this.callbacksIdle();
      for (const job of JOBS) await this.billing.runJob(job);
    }
  }

  /** The credits that an account can spend after entitlement has received every event twice. */
  async creditsOf(accountId: string): Promise<number> {
    const events = await recordedEvents(this.database);
    const own = events.filter(({ key }) => key === accountId);
    this.entitlement.clock.set(this.clock.now());
    for (const { type, data } of [...own, ...own]) {
      await this.entitlement.deliver(eventClassOf(type, 1)!, accountId, data);
    }
    return (await this.entitlement.client.balance(accountId)).spendable;
  }

  /** How many events of a type were published about an account. */
  async timesSaid(accountId: string, type: string): Promise<number> {
    const events = await recordedEvents(this.database);
    return events.filter((event) => event.key === accountId && event.type === type).length;
  }

  /** The idempotency keys of matching calls that were sent since `since`. */
  keysOf(path: RegExp, since: number): Set<string | undefined> {
    const sent = this.simulator.stripe.requestsAfter(since);
    const calls = sent.filter(({ method, path: called }) => method !== 'GET' && path.test(called));
    return new Set(calls.map(({ idempotencyKey }) => idempotencyKey));
  }

  passDays(days: number): void {
    this.clock.advance(days * DAY_MS);
    this.simulator.clock.runDue();
  }

  private async callbacksIdle(): Promise<void> {
    const { callbacks, paypal } = this.simulator;
    await Promise.all([callbacks.idle(), paypal.callbacks.idle()]);
  }
}
