import type { Type } from '@nestjs/common';
import {
  AccountRegistered,
  EntitlementClient,
  type EventClass,
  type EventEnvelope,
  type PaymentLine,
  PaymentConfirmed,
  PaymentReversalUndone,
  PaymentReversed,
  type ServiceHttp,
  SubscriptionChanged,
  AccountDeleted,
  AccountErased,
  AccountRestored,
  AccountSuspensionChanged,
  describeEvent,
  parseEventData,
  producerOf,
} from '#libs/contracts';
import { type Database, type Transaction, withClient } from '#libs/database';
import { FIRST_ID, newId } from '#libs/platform';
import { TestClock, TestDatabase, recordedEvents } from '#test/environment';
import { ENTITLEMENT_INVARIANTS } from '../../apps/entitlement/src/auditor/invariants.js';
import { OnAccountNewsConsumer } from '../../apps/entitlement/src/blocks/on-account-news.consumer.js';
import { EntitlementConfig } from '../../apps/entitlement/src/entitlement.config.js';
import { ENTITIES } from '../../apps/entitlement/src/entitlement.module.js';
import { AdvanceAccountsJob } from '../../apps/entitlement/src/due-accounts/advance-accounts.job.js';
import { OnGrantNewsConsumer } from '../../apps/entitlement/src/grants/on-grant-news.consumer.js';
import { OnPaymentReversedConsumer } from '../../apps/entitlement/src/reversals/on-payment-reversed.consumer.js';
import { startEntitlement } from '../../apps/entitlement/src/start.js';
import { ServiceUnderTest } from '../environment/service-under-test.js';

type Handle = (event: EventEnvelope, transaction: Transaction) => Promise<void>;

/** The consumer of each event, and the method that handles it. */
const CONSUMERS = new Map<EventClass, [consumer: Type, method: string]>([
  [AccountRegistered, [OnGrantNewsConsumer, 'handleRegistered']],
  [AccountDeleted, [OnAccountNewsConsumer, 'handleDeleted']],
  [AccountRestored, [OnAccountNewsConsumer, 'handleRestored']],
  [AccountErased, [OnAccountNewsConsumer, 'handleErased']],
  [AccountSuspensionChanged, [OnAccountNewsConsumer, 'handleSuspensionChanged']],
  [PaymentConfirmed, [OnGrantNewsConsumer, 'handlePayment']],
  [PaymentReversed, [OnPaymentReversedConsumer, 'handle']],
  [PaymentReversalUndone, [OnPaymentReversedConsumer, 'handleUndone']],
  [SubscriptionChanged, [OnGrantNewsConsumer, 'handleSubscription']],
]);

const LINE_MICROS = '1000000';

type NewLine = PaymentLine extends infer Line
  ? Line extends PaymentLine
    ? Omit<Line, 'lineId' | 'sku' | 'quantity' | 'amountMicros'> & { lineId?: string }
    : never
  : never;

type SnapshotInTest = Partial<SubscriptionChanged> &
  Pick<SubscriptionChanged, 'subscriptionId' | 'periodStart' | 'periodEnd'> & {
    /** The credits of the payment line for the period; `0` for a subscription that grants only rights. */
    monthlyCredits?: string;
    lineId?: string;
  };

/** The complete entitlement service with its own database, called as its real callers call it. */
export class EntitlementUnderTest extends ServiceUnderTest<TestDatabase, TestClock> {
  database: Database;
  client: EntitlementClient;
  operator: EntitlementClient;
  billing: EntitlementClient;
  private gateway: ServiceHttp;

  static async start(now?: string): Promise<EntitlementUnderTest> {
    const test = await TestDatabase.create();
    const consumers = { account: ['entitlement'], billing: ['entitlement'] } as const;
    const parts = { consumers, logged: 'error' } as const;
    const entitlement = new EntitlementUnderTest('entitlement', test, new TestClock(now), parts);
    await entitlement.open();
    return entitlement;
  }

  async ask<T>(path: string, accountId: string): Promise<T> {
    return this.gateway.call('GET', path, { accountId });
  }

  /** Delivers an event as a transport does, but without the inbox, which discards repeated events. */
  async deliver<T extends object>(
    eventClass: EventClass<T>,
    accountId: string,
    data: T,
  ): Promise<void> {
    const { type, version } = describeEvent(eventClass);
    const parsed = parseEventData(eventClass, JSON.parse(JSON.stringify(data)));
    if ('faults' in parsed) throw new Error(parsed.faults.join('; '));
    const [consumerType, method] = CONSUMERS.get(eventClass)!;
    const consumer = this.service.app.get<Record<string, Handle>>(consumerType);
    const event = {
      id: newId(),
      type,
      version,
      key: accountId,
      aggregate: `test:${accountId}`,
      sequence: '1',
      occurredAt: this.clock.now().toISOString(),
      producer: producerOf(type),
      data: parsed.data,
    };
    await this.database.transaction((transaction) => consumer[method](event, transaction));
  }

  async advanceAll(): Promise<void> {
    await this.service.app.get(AdvanceAccountsJob).runOnce();
  }

  /** Makes every write to an account's grants fail. With the opposite sign of `by`, writes succeed again. */
  async damage(accountId: string, by: number): Promise<void> {
    const table = 'alter table entitlement.credit_grants';
    await withClient(this.test.url(), async (client) => {
      await client.query(`${table} drop constraint if exists buckets_add_up`);
      await client.query(
        'update entitlement.credit_grants set consumed = consumed + $2 where account_id = $1',
        [accountId, by],
      );
      await client.query(`${table} add constraint buckets_add_up check
        (granted = available + reserved + consumed + expired + revoked) not valid`);
    });
  }

  async newAccount(): Promise<string> {
    const accountId = newId();
    const trialClaim = newId().replaceAll('-', '').padEnd(64, '0');
    await this.deliver(AccountRegistered, accountId, { trialClaim });
    return accountId;
  }

  async pay(accountId: string, line: NewLine, orderId?: string): Promise<string> {
    const lineId = line.lineId ?? newId();
    const rest = { sku: 'test', quantity: 1, amountMicros: LINE_MICROS };
    await this.deliver(PaymentConfirmed, accountId, {
      paymentId: lineId,
      ...(orderId && { orderId }),
      amountMicros: LINE_MICROS,
      currency: 'USD',
      catalogueVersion: '2026-11',
      lines: [{ ...rest, ...line, lineId } as PaymentLine],
    });
    return lineId;
  }

  async buy(accountId: string, credits: number): Promise<string> {
    return this.pay(accountId, { kind: 'package', credits: String(credits) });
  }

  /** Uses credits as one answered request would. */
  async use(accountId: string, consumed: number): Promise<void> {
    const leaseId = newId();
    const lease = { accountId, leaseId, gatewayId: 'gateway-1', min: consumed, wanted: 0 };
    await this.client.acquire(lease);
    await this.client.close({ accountId, leaseId, consumed });
  }

  /** Reverses a share of a line or, with `from`, of what remains after that time. @returns the reversal's id. */
  async reverse(
    accountId: string,
    lineId: string,
    share: string,
    {
      phase = 'final',
      reversalId = newId(),
      from,
    }: Partial<PaymentReversed> & { from?: string } = {},
  ): Promise<string> {
    const refundedMicros = String(Math.round(Number(share) * Number(LINE_MICROS)));
    const scope =
      from === undefined ? { scope: 'whole' as const } : { scope: 'remaining' as const, from };
    const lines = [{ lineId, ...scope, refundedMicros, paidMicros: LINE_MICROS }];
    const reversal = { reversalId, paymentId: lineId, cause: 'refund', phase, lines } as const;
    await this.deliver(PaymentReversed, accountId, reversal);
    return reversalId;
  }

  async undo(accountId: string, reversalId: string): Promise<void> {
    await this.deliver(PaymentReversalUndone, accountId, { reversalId });
  }

  /**
   * Pays once for the period of a snapshot, if the snapshot says that the period is paid, and publishes the snapshot.
   */
  async subscribe(
    accountId: string,
    { monthlyCredits = '15000', lineId, ...snapshot }: SnapshotInTest,
  ): Promise<void> {
    const { subscriptionId, periodStart, periodEnd, interval = 'month' } = snapshot;
    const { paidThrough = periodEnd } = snapshot;
    const period = `${subscriptionId} ${periodStart}`;
    if (monthlyCredits !== '0' && paidThrough > periodStart && !this.paidPeriods.has(period)) {
      const stretch = { subscriptionId, interval, periodStart, periodEnd, from: periodStart };
      const line = { kind: 'subscription', ...stretch, monthlyCredits, lineId } as const;
      await this.pay(accountId, line);
      this.paidPeriods.add(period);
    }
    await this.deliver(SubscriptionChanged, accountId, {
      line: 'api',
      state: 'active',
      sku: 'api-15K-month',
      quantity: 1,
      interval: 'month',
      paidThrough: snapshot.periodEnd,
      limits: { live: 40, bulk: 10, heavy: 5 },
      monitors: { domain: 20, brand: 2, registrant: 2 },
      keys: 3,
      datasets: [],
      catalogueVersion: '2026-11',
      ...snapshot,
    });
  }

  /**
   * Returns an account's ledger entries since the last call, one line per transfer: `reserve lease: available -5,
   * reserved +5`. Sources and ids are reduced to their kind.
   */
  async newEntries(accountId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string; line: string }>(
      `select t.id, t.kind || ' ' || split_part(t.reference, ':', 1) || ': ' ||
         string_agg(e.ledger_account || ' ' || to_char(e.amount, 'SGFM999999999'), ', '
           order by e.position) as line
       from ledger_transfers t join ledger_entries e on e.transfer_id = t.id
       where t.account_id = $1 and t.id > $2 group by t.id order by t.id`,
      [accountId, this.lastSeen.get(accountId) ?? FIRST_ID],
    );
    if (rows.length > 0) this.lastSeen.set(accountId, rows[rows.length - 1].id);
    return rows.map(({ line }) => line);
  }

  /** Returns the service's events about an account, such as `AllowanceChanged 1` or `CreditsLow 20% 100`. */
  async events(accountId: string): Promise<string[]> {
    const events = await recordedEvents(this.database);
    return events
      .filter(({ key }) => key === accountId)
      .map(({ type, data }) =>
        type === 'entitlement.allowance-changed'
          ? `AllowanceChanged ${String(data.version)}`
          : `CreditsLow ${String(data.threshold)}% ${String(data.remaining)}`,
      );
  }

  /** Returns violated invariants, and the errors logged since the last call. */
  async violations(): Promise<unknown[]> {
    return [...(await this.violated(ENTITLEMENT_INVARIANTS)), ...this.logLines.splice(0)];
  }

  private readonly paidPeriods = new Set<string>();
  private readonly lastSeen = new Map<string, string>();

  private async open(): Promise<void> {
    this.database = await this.test.service('entitlement', ENTITIES);
    const config = Object.assign(new EntitlementConfig(), this.settings);
    const { clock, logger, transport } = this;
    // On a schedule, jobs would sometimes run between two steps of a spec.
    const isScheduled = false;
    this.service = await startEntitlement({ config, clock, logger, transport, isScheduled });
    this.gateway = this.connect('gateway');
    this.client = new EntitlementClient(this.gateway);
    this.operator = new EntitlementClient(this.connect('cli'));
    this.billing = new EntitlementClient(this.connect('billing'));
  }
}
