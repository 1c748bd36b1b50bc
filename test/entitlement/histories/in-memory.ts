import { GrantsService } from '../../../apps/entitlement/src/grants/grants.service.js';
import { Book } from '../../../apps/entitlement/src/ledger/book.js';
import type { CreditAccount, Repayment } from '../../../apps/entitlement/src/ledger/grant-book.js';
import type { Grant } from '../../../apps/entitlement/src/ledger/grant.js';
import type { PaymentLine } from '../../../apps/entitlement/src/payments/payment-line.entity.js';
import { PaymentsService } from '../../../apps/entitlement/src/payments/payments.service.js';
import type { Reversal } from '../../../apps/entitlement/src/payments/reversal.entity.js';
import type { ReversedLine } from '../../../apps/entitlement/src/payments/reversed-line.entity.js';
import { ReversalsService } from '../../../apps/entitlement/src/reversals/reversals.service.js';
import type { Subscription } from '../../../apps/entitlement/src/subscriptions/subscription.entity.js';
import { SubscriptionsService } from '../../../apps/entitlement/src/subscriptions/subscriptions.service.js';
import {
  type EventEnvelope,
  PaymentConfirmed,
  PaymentReversalUndone,
  PaymentReversed,
  SubscriptionChanged,
} from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Clock, DAY_MS } from '#libs/platform';
import { Random } from '../../random.js';
import { Customer, MODES, SLOT_DAYS } from './deliveries.js';
import { expectedGrants } from './expected.js';
import { type GrantRow, type Tally, compareAmounts, compareRows, planSpends } from './judgement.js';
import { MemoryMessaging } from './memory-messaging.js';
import { BEGIN, HORIZON_DAYS, Processor, REST_DAYS } from './processor.js';

class MovedClock extends Clock {
  time = BEGIN;

  now(): Date {
    return this.time;
  }
}

/**
 * Entitlement's real services of grants, payments, reversals and subscriptions over rows in memory, for one
 * account. What it hears comes through the real relay and inbox.
 */
class CreditsInMemory {
  readonly clock = new MovedClock();
  grants: Grant[] = [];
  private account: CreditAccount;
  private repayments: Repayment[] = [];
  private readonly lines: PaymentLine[] = [];
  private readonly reversals: Reversal[] = [];
  private readonly reversedLines: ReversedLine[] = [];
  private readonly undone = new Set<string>();
  /** By grant. */
  private readonly paid = new Map<string, number>();
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly service: GrantsService;
  private readonly taking: ReversalsService;

  constructor(private readonly accountId: string) {
    const state = { state: 'active', available: 0, allowanceVersion: 0, lastGranted: 0 } as const;
    this.account = { id: accountId, ...state };
    const payments = new PaymentsService(this.paymentRows() as never);
    const rows = {
      list: async () => [...this.subscriptions.values()],
      put: async (_: unknown, row: Subscription) => void this.subscriptions.set(row.id, row),
    };
    const subscriptions = new SubscriptionsService(rows as never, payments);
    this.service = new GrantsService(
      {} as never,
      this.ledger() as never,
      {} as never,
      payments,
      subscriptions,
      this.clock,
    );
    this.taking = new ReversalsService(this.service, payments);
  }

  /** As entitlement's consumers do. */
  async handle({ data }: EventEnvelope, transaction: Transaction): Promise<void> {
    const { accountId } = this;
    if (data instanceof PaymentConfirmed) {
      await this.service.grantPayment(transaction, accountId, data);
    } else if (data instanceof PaymentReversed) {
      await this.taking.reverse(transaction, accountId, data);
    } else if (data instanceof PaymentReversalUndone) {
      await this.taking.undo(transaction, accountId, data);
    } else if (data instanceof SubscriptionChanged) {
      await this.service.followSubscription(transaction, accountId, data);
    }
    check(this.grants);
  }

  /** Uses up to so many credits; nothing but time passes with none. */
  async use(wanted: number): Promise<void> {
    await this.service.follow({} as Transaction, this.accountId, async (book) => {
      const amount = Math.min(wanted, book.spendable);
      if (amount === 0) return {};
      const slices = book.reserve(amount, 'hold:test');
      book.consume({ id: 'test', reference: 'hold:test', slices }, amount);
      return {};
    });
  }

  private ledger() {
    return {
      lock: async () => [{ ...this.account }],
      readWhole: async (_: unknown, [account]: CreditAccount[]) => [
        new Book(account, this.grants.map(copyOf), this.repayments.map(copyOf), this.clock.now()),
      ],
      save: async (_: unknown, [book]: Book[]) => {
        book.repayDebts();
        this.notePaid(book);
        this.account = { ...book.account };
        this.grants = book.all.map(copyOf);
        this.repayments = book.repayments.map(copyOf);
      },
    };
  }

  private notePaid(book: Book): void {
    const entries = book.transfers
      .filter(({ kind }) => kind === 'repay')
      .flatMap((transfer) => transfer.entries.filter(({ account }) => account === 'consumed'));
    for (const { grantId, amount } of entries)
      this.paid.set(grantId, this.paidBy(grantId) + amount);
  }

  paidBy(grantId: string): number {
    return this.paid.get(grantId) ?? 0;
  }

  private paymentRows() {
    return {
      listAnnouncedLines: async (_: unknown, lines: PaymentLine[]) =>
        this.lines.filter((known) =>
          lines.some(({ id, paymentId }) => id === known.id || paymentId === known.paymentId),
        ),
      listForeignSubscriptions: async () => [],
      insertLines: async (_: unknown, lines: PaymentLine[]) => void this.lines.push(...lines),
      listLines: async () => [...this.lines],
      insertReversal: async (_: unknown, reversal: Reversal, lines: ReversedLine[]) => {
        this.reversals.push(reversal);
        this.reversedLines.push(...lines);
      },
      listAnnouncements: async (_: unknown, _accountId: string, reversalId: string) =>
        this.reversals.filter(({ id }) => id === reversalId),
      listAnnouncedLinesOf: async (_: unknown, { id, phase }: Reversal) =>
        this.reversedLines.filter((line) => line.reversalId === id && line.phase === phase),
      isForeignReversal: async () => false,
      listReversedLines: async () => this.reversedLines.filter((line) => this.counts(line)),
      insertUndone: async (_: unknown, { reversalId }: { reversalId: string }) =>
        void this.undone.add(reversalId),
    };
  }

  private counts({ reversalId, phase }: ReversedLine): boolean {
    if (this.undone.has(reversalId)) return false;
    const isFinal = this.reversals.some((one) => one.id === reversalId && one.phase === 'final');
    return phase === 'final' || !isFinal;
  }
}

const copyOf = <T extends object>(row: T): T => ({ ...row });

/** Histories one after the other, each in every mode, without a server or a broker. */
export async function runInMemory(seeds: Iterable<number>): Promise<Tally> {
  const tally: Tally = { histories: 0, customers: 0, events: 0, faults: [] };
  const end = new Date(BEGIN.getTime() + (HORIZON_DAYS + REST_DAYS) * DAY_MS);
  const messaging = new MemoryMessaging();
  for (const seed of seeds) {
    const random = new Random(seed);
    const processor = new Processor(random.for('processor'));
    const expected = expectedGrants(processor.lines, end);
    let inOrder: GrantRow[] | undefined;
    for (const mode of MODES) {
      const customer = new Customer(seed, mode, processor, 1, random.for(mode));
      const found = await play(messaging, customer, planSpends(random.for('spends')), end);
      const where = `seed ${seed}, ${mode}`;
      tally.faults.push(...compareAmounts(where, found, expected));
      inOrder ??= found;
      if (mode === 'shuffle') tally.faults.push(...compareRows(where, inOrder, found));
      tally.customers++;
      tally.events += customer.deliveries.length;
    }
    tally.histories++;
  }
  await messaging.stop();
  return tally;
}

async function play(
  messaging: MemoryMessaging,
  customer: Customer,
  spends: { slot: number; amount: number }[],
  end: Date,
): Promise<GrantRow[]> {
  const credits = new CreditsInMemory(customer.accountId);
  messaging.serve(async (event, transaction) => credits.handle(event, transaction));
  const said = Map.groupBy(customer.deliveries, ({ slot }) => slot);
  const spent = Map.groupBy(spends, ({ slot }) => slot);
  for (const slot of [...new Set([...said.keys(), ...spent.keys()])].toSorted((a, b) => a - b)) {
    credits.clock.time = new Date(BEGIN.getTime() + slot * SLOT_DAYS * DAY_MS);
    const deliveries = said.get(slot) ?? [];
    if (deliveries.length > 0) await messaging.deliver(deliveries, credits.clock.time);
    for (const { amount } of spent.get(slot) ?? []) await credits.use(amount);
    check(credits.grants);
  }
  credits.clock.time = end;
  await credits.use(0);
  check(credits.grants);
  return credits.grants
    .map((grant) => rowOf(customer, grant, credits.paidBy(grant.id)))
    .toSorted(byName);
}

/** Invariants I2, I19 and I22 of money.md, after every step. */
function check(grants: Grant[]): void {
  for (const g of grants) {
    const parts = [g.available, g.reserved, g.consumed, g.expired, g.revoked];
    const isWhole = parts.reduce((sum, part) => sum + part, 0) === g.granted;
    const unmet = Math.max(0, g.reversalTarget - g.revoked - g.reserved);
    const isDebtRight = g.owed + g.repaid === Math.min(g.consumed, unmet);
    if (isWhole && isDebtRight && Math.min(...parts, g.owed, g.repaid) >= 0) continue;
    throw new Error(`a grant does not add up: ${JSON.stringify(g)}`);
  }
  const isPaid = ({ sourceType }: Grant) => ['package', 'subscription'].includes(sourceType);
  const isOwing = grants.some(({ owed }) => owed > 0);
  const isAble = grants.some((grant) => isPaid(grant) && grant.available > 0);
  if (isOwing && isAble) throw new Error('debt is open beside paid credits');
}

/** Ids and times of arrival are each run's own. */
function rowOf(customer: Customer, grant: Grant, paid: number): GrantRow {
  const own = { id: '', accountId: '', lineId: '', subscriptionId: '', sourceId: '' };
  return {
    name: `${customer.nameOf(grant.lineId ?? '')}/${grant.sourceIndex}`,
    kind: grant.sourceType,
    granted: grant.granted,
    reversed: grant.reversalTarget,
    paid,
    row: { ...grant, ...own, issuedAt: undefined },
  };
}

const byName = (a: GrantRow, b: GrantRow) =>
  `${a.name} ${a.kind}` < `${b.name} ${b.kind}` ? -1 : 1;
