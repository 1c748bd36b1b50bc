import { CATALOGUE_VERSION, type EventClass, PaymentConfirmed, TIERS } from '#libs/contracts';
import {
  Database,
  type SchemaService,
  maintenanceRole,
  migrate,
  ownerRole,
  provisionRoles,
  provisionSchemas,
  serviceRole,
} from '#libs/database';
import {
  EventsConfig,
  type EventTransport,
  Outbox,
  messagingTables,
  openTransport,
} from '#libs/messaging';
import { Logger, SystemClock, loadConfig, newId } from '#libs/platform';
import type { RunningCluster } from '../../../apps/cluster/src/cluster.js';
import type { AccountBook } from './account-book.js';
import { eventually } from './patience.js';

/** billing has no service yet: its part is played here, with a real outbox in a schema of its own. */
const SCHEMA = 'billing' as SchemaService;
const TIER = TIERS[0];

export class Billing {
  private constructor(
    private readonly book: AccountBook,
    private readonly transport: EventTransport,
    private readonly database: Database,
    private readonly relayDatabase: Database,
    private readonly outbox: Outbox,
  ) {}

  /** @param log takes what the relay says. */
  static async start(
    { settings }: RunningCluster,
    book: AccountBook,
    log: { write(line: string): void },
  ): Promise<Billing> {
    const { superuserUrl } = settings;
    await provisionRoles(superuserUrl, [SCHEMA], (role) => settings.rolePassword(role));
    await provisionSchemas(superuserUrl, [SCHEMA]);
    await migrate(settings.databaseUrl(ownerRole(SCHEMA)), [
      { name: '0001-messaging', sql: messagingTables },
    ]);
    const open = (role: string) =>
      Database.open({ url: settings.databaseUrl(role), applicationName: role });
    const [own, relay] = [await open(serviceRole(SCHEMA)), await open(maintenanceRole(SCHEMA))];
    const logger = new Logger('billing', log);
    const transport = openTransport({
      config: loadConfig(EventsConfig, settings.operator()),
      logger,
      consumers: {},
    });
    await transport.startRelay('billing', relay);
    const outbox = new Outbox('billing', new SystemClock(), transport);
    return new Billing(book, transport, own, relay, outbox);
  }

  async stop(): Promise<void> {
    await this.transport.close();
    await this.database.close();
    await this.relayDatabase.close();
  }

  /** Says that a package was paid, and says it again while it is unknown whether that was written. */
  async confirmPackage(accountId: string): Promise<string> {
    const paymentId = newId();
    await eventually('the payment to be written', async () => {
      await this.say(accountId, paymentId, PaymentConfirmed, {
        paymentId,
        orderId: paymentId,
        amountMicros: String(TIER.packageMicros),
        currency: 'USD',
        catalogueVersion: CATALOGUE_VERSION,
        lines: [
          {
            lineId: paymentId,
            kind: 'package',
            sku: `package-${TIER.name}`,
            quantity: 1,
            credits: String(TIER.credits),
            tier: TIER.name,
          },
        ],
      });
      return true;
    });
    this.book.payments.push({ paymentId, accountId, credits: TIER.credits });
    return paymentId;
  }

  private async say<T extends object>(
    accountId: string,
    paymentId: string,
    eventClass: EventClass<T>,
    data: T,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const aggregate = `payment:${paymentId}`;
      const lock = await this.outbox.lock(transaction, { key: accountId, aggregate });
      await this.outbox.add(transaction, lock, eventClass, data);
    });
  }
}
