import { CATALOGUE_VERSION, PaymentConfirmed, TIERS } from '#libs/contracts';
import { Database, maintenanceRole, serviceRole } from '#libs/database';
import { type EventTransport, Outbox } from '#libs/messaging';
import { type Clock, newId } from '#libs/platform';

const SCHEMA = 'billing';

/** The database in which the stand-in publishes its events, and the clock that it uses. */
export interface BillingOptions {
  databaseUrl(role: string): string;
  /** The transport for the events, which the caller must close. */
  transport: EventTransport;
  clock: Clock;
}

/** A replacement for billing in an installation without it, which uses the real outbox of billing's schema. */
export class Billing {
  private constructor(
    private readonly database: Database,
    private readonly relayDatabase: Database,
    private readonly outbox: Outbox,
  ) {}

  static async start({ databaseUrl, transport, clock }: BillingOptions): Promise<Billing> {
    const open = (role: string) => Database.open({ url: databaseUrl(role), applicationName: role });
    const own = await open(serviceRole(SCHEMA));
    const relay = await open(maintenanceRole(SCHEMA));
    await transport.startRelay('billing', relay);
    return new Billing(own, relay, new Outbox('billing', clock, transport));
  }

  async stop(): Promise<void> {
    await this.database.close();
    await this.relayDatabase.close();
  }

  /**
   * Publishes the payment of a package.
   * @returns the payment's id, with which the payment can be repeated.
   */
  async confirmPackage(accountId: string, tierName: string, paymentId = newId()): Promise<string> {
    const tier = TIERS.find(({ name }) => name === tierName);
    if (!tier) throw new Error(`no tier ${tierName}`);
    const amountMicros = String(tier.packageMicros);
    const aggregate = `payment:${paymentId}`;
    await this.database.transaction(async (transaction) => {
      const lock = await this.outbox.lock(transaction, { key: accountId, aggregate });
      await this.outbox.add(transaction, lock, PaymentConfirmed, {
        paymentId,
        orderId: paymentId,
        amountMicros,
        currency: 'USD',
        catalogueVersion: CATALOGUE_VERSION,
        lines: [
          {
            lineId: paymentId,
            kind: 'package',
            sku: `package-${tierName}`,
            quantity: 1,
            amountMicros,
            credits: String(tier.credits),
            tier: tierName,
          },
        ],
      });
    });
    return paymentId;
  }
}
