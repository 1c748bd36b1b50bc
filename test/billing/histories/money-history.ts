import type { ChosenProcessor } from '#libs/contracts';
import { checkInvariants } from '#libs/database';
import { DAY_MS, HOUR_MS, newId } from '#libs/platform';
import { BILLING_INVARIANTS } from '../../../apps/billing/src/auditor/invariants.js';
import { MissedEventsJob } from '../../../apps/billing/src/missed-news/missed-events.job.js';
import { OpenOrdersJob } from '../../../apps/billing/src/missed-news/open-orders.job.js';
import { SyncObjectsJob } from '../../../apps/billing/src/processor-sync/sync-objects.job.js';
import { SettleRefundsJob } from '../../../apps/billing/src/refunds/settle-refunds.job.js';
import type { Callback } from '../../../apps/simulators/src/payments/callback-sender.js';
import { type ToldHistory, toldHistory } from '../../entitlement/histories/told-history.js';
import type { BillingUnderTest } from '../billing-under-test.js';
import { type CheckoutAction, pressButton } from '../hosted-page.js';
import type { MoneyThere, ProcessorSide, TakenBack } from '../sides/processor-side.js';
import { sideOf } from '../sides/side-of.js';
import type { MoneyAuditor } from './money-auditor.js';
import type { MoneyCommand } from './money-commands.js';

/** Commands after which the processor sends no callbacks and no work remains. */
const SILENT = ['holdCallbacks', 'dropCallbacks', 'lose', 'card', 'move'];
/** Commands of customers; after these, the jobs may also run after the next command. */
const OWN_STEPS = ['buy', 'change', 'cancel', 'undo'];

/** Prices that are not whole dollars and a tax rate that is not a whole percentage, so that cents must be rounded. */
export const TAX_RATES = ['CH=8.1'];
const MICROS_A_CENT = 10_000;
const ADDRESS = { address_line1: '1 Quai', city: 'Genève', country: 'CH' };

/** An action that, unlike the commands, occurs only in chosen histories. */
export type Action = (history: MoneyHistory) => Promise<void>;

/** A customer's history at a processor. Whatever happens, billing's records finally match the processor's. */
export class MoneyHistory {
  readonly accountId: string;
  /** The number of commands that had an effect. */
  done = 0;
  private readonly heard: Callback[] = [];
  /** The callbacks that the processor has sent but that have not arrived. */
  private readonly waiting: Callback[] = [];
  private isHolding = false;
  private isDeleted = false;
  /** A time before every payment of this history. */
  private firstKey: string;
  private since: Date;

  private constructor(
    readonly billing: BillingUnderTest,
    readonly side: ProcessorSide,
    private readonly auditor: MoneyAuditor,
  ) {
    this.accountId = billing.newAccount();
  }

  static async begin(
    billing: BillingUnderTest,
    processor: ChosenProcessor,
    auditor: MoneyAuditor,
  ): Promise<MoneyHistory> {
    // The job runs every ten minutes from the start of an installation, so it reads events from this time on.
    await billing.runJob(MissedEventsJob);
    const history = new MoneyHistory(billing, sideOf(billing, processor), auditor);
    history.side.callbacks.hold();
    history.firstKey = newId();
    history.since = billing.clock.now();
    billing.contacts.set(history.accountId, { details: ADDRESS });
    return history;
  }

  /** Runs one command, handles its effects, and checks the invariants. @throws Error if an invariant is violated. */
  async run(command: MoneyCommand): Promise<void> {
    const { apiFaults } = this.billing.simulator;
    const before = this.done;
    await this.apply(command);
    if (this.done === before) return;
    if (!SILENT.includes(command.kind)) await this.takeEffect(!OWN_STEPS.includes(command.kind));
    // Loses the calls of the next command and the calls that result from it.
    const { answers = 0, requests = 0 } = command.kind === 'lose' ? command : {};
    Object.assign(apiFaults, { lostAnswers: answers, lostRequests: requests });
  }

  async act(action: Action): Promise<void> {
    await action(this);
    await this.takeEffect();
  }

  /**
   * Waits until everything is repaired.
   * @throws Error if billing's money and the processor's differ.
   */
  async end(): Promise<void> {
    await this.heal();
    await this.check();
    const [ours, theirs] = [await this.ourMoney(), await this.theirMoney()].map(
      ({ paid, refunded }) => `${paid} paid, ${refunded} refunded`,
    );
    if (ours !== theirs) throw new Error(`billing has ${ours}, but the processor has ${theirs}`);
  }

  /** Lets time pass and the jobs run, without any action by a person. */
  async heal(): Promise<void> {
    const { billing } = this;
    Object.assign(billing.simulator.apiFaults, { lostAnswers: 0, lostRequests: 0 });
    this.side.callbacks.faults.drop = false;
    this.isHolding = false;
    for (let round = 0; round < 2; round += 1) {
      await billing.pass(HOUR_MS);
      await billing.runJob(OpenOrdersJob);
      await billing.runJob(MissedEventsJob);
      await billing.runJob(SettleRefundsJob);
      await this.receive();
      await this.follow();
    }
    await billing.retry();
  }

  /** The events that were published during the history, to be delivered to entitlement in other orders. */
  told(name: string): Promise<ToldHistory> {
    const { billing, accountId, since } = this;
    return toldHistory(billing, { name, accountId, since });
  }

  private async takeEffect(isFollowed = true): Promise<void> {
    await this.receive();
    if (isFollowed) await this.follow();
    await this.check();
  }

  private async apply(command: MoneyCommand): Promise<void> {
    switch (command.kind) {
      case 'buy': {
        const wish = { product: 'package', credits: command.credits };
        return this.order(wish, command.action as CheckoutAction);
      }
      case 'subscribe':
        return this.order({ product: 'subscription', sku: command.sku }, 'pay');
      case 'change':
        return this.ofSubscription('change', { sku: command.sku });
      case 'cancel':
      case 'undo':
        return this.ofSubscription(command.kind, {});
      case 'card':
        return this.setCard(command.works);
      case 'refund':
      case 'failRefund':
      case 'dispute':
      case 'decide':
        return this.takeBack(command);
      case 'delete':
      case 'restore':
        return this.turn(command.kind);
      case 'advance':
        this.done += 1;
        return this.billing.pass(command.days * DAY_MS);
      case 'lose':
        this.done += 1;
        return;
      case 'move':
        return this.move(command.country);
      default:
        return this.network(command);
    }
  }

  private async order(wish: object, action: CheckoutAction): Promise<void> {
    const { billing, accountId } = this;
    const body = { ...wish, processor: this.side.name };
    const headers = { 'idempotency-key': newId() };
    const answer = await billing.call('POST', 'orders', { accountId, body, headers });
    if (answer.status !== 201) return;
    this.done += 1;
    await pressButton(answer.body.redirect_url, action);
  }

  /** @param action the customer's action, if the processor's page asks for money. */
  async ofSubscription(step: string, body: object, action: CheckoutAction = 'pay'): Promise<void> {
    const { billing, accountId } = this;
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    const current = listed.subscriptions.find((one: { is_current: boolean }) => one.is_current);
    if (!current) return;
    const path = `subscriptions/${current.id}/${step}`;
    const { status, body: answer } = await billing.call('POST', path, { accountId, body });
    if (status !== 200) return;
    this.done += 1;
    const page = answer.redirect_url as string | null;
    if (page) await this.side.agree(page, action);
  }

  private async setCard(works: boolean): Promise<void> {
    this.done += 1;
    await this.side.setFunds(this.accountId, works ? 'works' : 'declines');
  }

  private async move(country: string): Promise<void> {
    this.done += 1;
    this.billing.contacts.set(this.accountId, { details: { ...ADDRESS, country } });
  }

  private async takeBack(
    command: Extract<MoneyCommand, { kind: 'refund' | 'failRefund' | 'dispute' | 'decide' }>,
  ): Promise<void> {
    const { side } = this;
    if (command.kind === 'refund') return this.refund(command);
    const payments = await side.paymentsOf(this.accountId);
    const ofOwn = (taken: readonly TakenBack[]) =>
      taken.filter(({ paymentId }) => payments.includes(paymentId));
    if (command.kind === 'dispute') {
      const disputed = chosen(payments, command.pick);
      const taken = [...side.refunds(), ...side.disputes()];
      if (!disputed || taken.some(({ paymentId }) => paymentId === disputed)) return;
      side.dispute(disputed);
    } else if (command.kind === 'decide') {
      const dispute = chosen(ofOwn(side.disputes()), command.pick);
      if (!dispute) return;
      side.decideDispute(dispute.id, command.decision as 'won' | 'lost');
    } else {
      const refunds = ofOwn(side.refunds()).filter(({ stands }) => stands);
      const refund = chosen(refunds, command.pick);
      if (!refund) return;
      side.failRefund(refund.id);
    }
    this.done += 1;
  }

  private async refund({
    pick,
    scope,
    cents,
  }: Extract<MoneyCommand, { kind: 'refund' }>): Promise<void> {
    const { billing, accountId } = this;
    const operator = { accountId, caller: 'cli' } as const;
    const { body } = await billing.call('GET', 'operator/payments', operator);
    const payment = chosen(body.payments as { paymentId: string }[], pick);
    if (!payment) return;
    const amount = scope === 'whole' && cents ? { amountMicros: String(cents * 10_000) } : {};
    const wish = {
      refundId: newId(),
      paymentId: payment.paymentId,
      scope,
      reason: 'asked',
      ...amount,
    };
    const { status } = await billing.call('POST', 'operator/refunds', { ...operator, body: wish });
    if (status === 200) this.done += 1;
  }

  private async turn(fate: 'delete' | 'restore'): Promise<void> {
    if (this.isDeleted === (fate === 'delete')) return;
    this.isDeleted = fate === 'delete';
    this.done += 1;
    this.billing.clock.advance(1_000);
    await this.billing.deliver(this.isDeleted ? 'deleted' : 'restored', this.accountId);
  }

  private async network(
    command: Extract<
      MoneyCommand,
      { kind: 'repeatCallback' | 'holdCallbacks' | 'releaseReversed' | 'dropCallbacks' }
    >,
  ): Promise<void> {
    const { callbacks } = this.side;
    this.done += 1;
    switch (command.kind) {
      case 'dropCallbacks':
        callbacks.faults.drop = true;
        return;
      case 'holdCallbacks':
        this.isHolding = true;
        return;
      case 'releaseReversed':
        callbacks.faults.drop = false;
        this.isHolding = false;
        this.waiting.reverse();
        return;
      case 'repeatCallback': {
        const callback = chosen(this.heard, command.pick);
        if (callback) await this.send(callback);
      }
    }
  }

  /** Runs the jobs that are due a minute after a callback, and repeats them as long as calls get lost. */
  private async follow(): Promise<void> {
    const { billing, side } = this;
    for (let lost = this.callsToLose; ; lost = this.callsToLose) {
      const before = side.calls();
      await billing.follow();
      if (side.calls() > before) await this.receive();
      if (this.callsToLose === lost) return;
    }
  }

  private get callsToLose(): number {
    const { lostAnswers, lostRequests } = this.billing.simulator.apiFaults;
    return lostAnswers + lostRequests;
  }

  /** Delivers callbacks in order or, after a while, in reverse order. */
  private async receive(): Promise<void> {
    const { callbacks } = this.side;
    this.waiting.push(...callbacks.takeHeld());
    callbacks.hold();
    if (!this.isHolding) {
      for (const callback of this.waiting.splice(0)) {
        this.heard.push(callback);
        await this.send(callback);
      }
    }
    await this.billing.runJob(SyncObjectsJob);
  }

  private async send(callback: Callback): Promise<void> {
    const raw = Buffer.from(callback.body);
    const headers = this.side.sign(raw);
    const path = `callbacks/${this.side.name}`;
    const { status } = await this.billing.call('POST', path, { body: raw, headers });
    if (status === 200) return;
    if (status !== 0) throw new Error(`a callback was answered ${status}`);
    // The processor repeats this callback.
    this.waiting.push(callback);
  }

  private async check(): Promise<void> {
    const violated = await checkInvariants(this.auditor, BILLING_INVARIANTS, {
      from: this.firstKey,
    });
    const errors = this.billing.takeErrors().filter(isFault);
    const faults = [...violated.map((one) => JSON.stringify(one)), ...errors];
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

  /** Returns the money that billing has recorded, in millionths of a dollar. */
  async ourMoney(): Promise<MoneyThere> {
    const [row] = await this.billing.database.query<Record<keyof MoneyThere, string>>(
      `select coalesce(sum(amount_micros), 0)::text as paid,
         coalesce((select sum(amount_micros) from reversals
           where account_id = $1 and cause = 'refund' and state = 'final'), 0)::text as refunded
       from payments where account_id = $1`,
      [this.accountId],
    );
    return { paid: Number(row.paid), refunded: Number(row.refunded) };
  }

  private async theirMoney(): Promise<MoneyThere> {
    const { paid, refunded } = await this.side.moneyOf(this.accountId);
    return { paid: paid * MICROS_A_CENT, refunded: refunded * MICROS_A_CENT };
  }
}

/**
 * Errors that are expected. A refund that the processor refuses is only logged. A busy machine may fail to open a
 * connection; the end of each history shows that the effects are repaired.
 */
const isFault = (line: string) =>
  !line.includes('a refund was not made') &&
  !line.includes('Connection terminated due to connection timeout');

const chosen = <T>(from: readonly T[], pick: number): T | undefined => from[pick % from.length];
