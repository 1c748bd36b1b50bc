import {
  CATALOGUE_VERSION,
  type EventClass,
  PaymentConfirmed,
  SubscriptionChanged,
  TIERS,
} from '#libs/contracts';
import { Database, maintenanceRole, serviceRole } from '#libs/database';
import { type EventTransport, Outbox } from '#libs/messaging';
import { type Clock, addMonths, newId } from '#libs/platform';

const SCHEMA = 'billing';

/** The database in which the stand-in publishes its events, and its clock. */
export interface BillingOptions {
  databaseUrl(role: string): string;
  /** The transport for the events, which the caller closes. */
  transport: EventTransport;
  clock: Clock;
}

/** Takes the place of billing in an installation without it, using the real outbox of billing's schema. */
export class Billing {
  private constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly relayDatabase: Database,
    private readonly outbox: Outbox,
  ) {}

  static async start(options: BillingOptions): Promise<Billing> {
    const { transport, clock } = options;
    const open = (role: string) =>
      Database.open({ url: options.databaseUrl(role), applicationName: role });
    const own = await open(serviceRole(SCHEMA));
    const relay = await open(maintenanceRole(SCHEMA));
    await transport.startRelay('billing', relay);
    return new Billing(clock, own, relay, new Outbox('billing', clock, transport));
  }

  async stop(): Promise<void> {
    await this.database.close();
    await this.relayDatabase.close();
  }

  /**
   * Publishes the payment of a package.
   * @returns the payment's id, with which it can be repeated.
   */
  async confirmPackage(accountId: string, tierName: string, paymentId = newId()): Promise<string> {
    const tier = TIERS.find(({ name }) => name === tierName);
    if (!tier) throw new Error(`no tier ${tierName}`);
    await this.say(accountId, `payment:${paymentId}`, PaymentConfirmed, {
      paymentId,
      orderId: paymentId,
      amountMicros: String(tier.packageMicros),
      currency: 'USD',
      catalogueVersion: CATALOGUE_VERSION,
      lines: [
        {
          lineId: paymentId,
          kind: 'package',
          sku: `package-${tierName}`,
          quantity: 1,
          amountMicros: String(tier.packageMicros),
          credits: String(tier.credits),
          tier: tierName,
        },
      ],
    });
    return paymentId;
  }

  /** Publishes the payment of an API plan, which runs from now on for a month. */
  async startPlan(accountId: string, tierName: string): Promise<string> {
    const tier = TIERS.find(({ name }) => name === tierName);
    if (!tier) throw new Error(`no tier ${tierName}`);
    const [subscriptionId, paymentId] = [newId(), newId()];
    const start = this.clock.now();
    const period = {
      interval: 'month',
      periodStart: start.toISOString(),
      periodEnd: addMonths(start, 1).toISOString(),
    } as const;
    const sku = { sku: `plan-${tierName}-month`, quantity: 1 };
    const amountMicros = String(tier.monthlyMicros);
    await this.say(accountId, `payment:${paymentId}`, PaymentConfirmed, {
      paymentId,
      amountMicros,
      currency: 'USD',
      catalogueVersion: CATALOGUE_VERSION,
      lines: [
        {
          lineId: newId(),
          kind: 'subscription',
          ...sku,
          amountMicros,
          subscriptionId,
          ...period,
          from: period.periodStart,
          monthlyCredits: String(tier.credits),
        },
      ],
    });
    await this.say(accountId, `subscription:${subscriptionId}`, SubscriptionChanged, {
      subscriptionId,
      line: 'api',
      state: 'active',
      ...sku,
      ...period,
      paidThrough: period.periodEnd,
      limits: tier.limits,
      monitors: tier.monitors,
      keys: tier.keys,
      datasets: [],
      catalogueVersion: CATALOGUE_VERSION,
    });
    return subscriptionId;
  }

  private async say<T extends object>(
    accountId: string,
    aggregate: string,
    eventClass: EventClass<T>,
    data: T,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const lock = await this.outbox.lock(transaction, { key: accountId, aggregate });
      await this.outbox.add(transaction, lock, eventClass, data);
    });
  }
}
