import type { ChosenProcessor } from '#libs/contracts';
import { DAY_MS, HOUR_MS, newId } from '#libs/platform';
import { MissedEventsJob } from '../../../apps/billing/src/missed-news/missed-events.job.js';
import { OpenOrdersJob } from '../../../apps/billing/src/missed-news/open-orders.job.js';
import { SyncObjectsJob } from '../../../apps/billing/src/processor-sync/sync-objects.job.js';
import { SettleRefundsJob } from '../../../apps/billing/src/refunds/settle-refunds.job.js';
import type { Callback } from '../../../apps/simulators/src/payments/callback-sender.js';
import { type ToldHistory, toldHistory } from '../../entitlement/histories/told-history.js';
import type { BillingUnderTest } from '../billing-under-test.js';
import { type CheckoutAction, pressButton } from '../hosted-page.js';
import type { MoneyThere, TakenBack } from '../sides/processor-side.js';
import { type ProcessorSide, sideOf } from '../sides/side-of.js';
import type { MoneyCommand } from './money-commands.js';

/** Commands after which the processor sends no callbacks and no work remains. */
const SILENT = ['holdCallbacks', 'dropCallbacks', 'lose', 'card', 'move'];
/** Commands after which the jobs do not run at once, so that they may also run only after the next command. */
const OWN_STEPS = ['buy', 'change', 'cancel', 'undo'];

/** A tax rate that is not a whole percentage, so that cents must be rounded. */
export const TAX_RATES = ['CH=8.1'];
const MICROS_A_CENT = 10_000;
const ADDRESS = { address_line1: '1 Quai', city: 'Genève', country: 'CH' };

/** An action that, unlike the commands, occurs only in chosen histories. */
export type Action = (history: MoneyHistory) => Promise<unknown>;

/** The effect of each command. The result is false if the command has no effect in this history. */
type Steps = {
  [Kind in MoneyCommand['kind']]: (
    command: Extract<MoneyCommand, { kind: Kind }>,
  ) => Promise<boolean | void>;
};

/** A customer's history at a processor. Whatever happens, billing's records must match the processor's in the end. */
export class MoneyHistory {
  readonly accountId: string;
  done = 0;
  private readonly heard: Callback[] = [];
  /** The callbacks that the processor has sent but that have not arrived. */
  private readonly waiting: Callback[] = [];
  private isHolding = false;
  private isDeleted = false;
  private firstKey: string;
  private since: Date;

  private constructor(
    readonly billing: BillingUnderTest,
    readonly side: ProcessorSide,
  ) {
    this.accountId = billing.newAccount();
  }

  static async begin(billing: BillingUnderTest, processor: ChosenProcessor): Promise<MoneyHistory> {
    // The job runs every ten minutes from the start of an installation, so it reads events from this time on.
    await billing.runJob(MissedEventsJob);
    const history = new MoneyHistory(billing, sideOf(billing, processor));
    history.side.callbacks.hold();
    history.firstKey = newId();
    history.since = billing.clock.now();
    billing.contacts.set(history.accountId, { details: ADDRESS });
    return history;
  }

  /**
   * Runs one command and its effects.
   * @throws Error if an invariant is violated, or billing rejects a callback or logs a fault.
   */
  async run(command: MoneyCommand): Promise<void> {
    const { apiFaults } = this.billing.simulator;
    const step = this.steps[command.kind] as (of: MoneyCommand) => Promise<boolean | void>;
    if ((await step(command)) === false) return;
    this.done += 1;
    if (!SILENT.includes(command.kind)) await this.takeEffect(!OWN_STEPS.includes(command.kind));
    // Loses the calls of the next command and the calls that result from it.
    const { answers = 0, requests = 0 } = command.kind === 'lose' ? command : {};
    Object.assign(apiFaults, { lostAnswers: answers, lostRequests: requests });
  }

  async act(action: Action): Promise<void> {
    await action(this);
    await this.takeEffect();
  }

  /** Repairs everything. @throws the errors of `run`; Error if billing's money differs from the processor's. */
  async end(): Promise<void> {
    await this.heal();
    await this.check();
    const [ours, theirs] = [await this.ourMoney(), await this.theirMoney()].map(
      ({ paid, refunded }) => `${paid} paid, ${refunded} refunded`,
    );
    if (ours !== theirs) throw new Error(`billing has ${ours}, but the processor has ${theirs}`);
  }

  /** Ends all network faults, and lets time pass and the jobs run, without any action by a person. */
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

  /** Returns the events that were published during the history, to be delivered to entitlement in other orders. */
  told(name: string): Promise<ToldHistory> {
    const { billing, accountId, since } = this;
    return toldHistory(billing, { name, accountId, since });
  }

  private async takeEffect(isFollowed = true): Promise<void> {
    await this.receive();
    if (isFollowed) await this.follow();
    await this.check();
  }

  private readonly steps: Steps = {
    buy: ({ credits, action }) => this.order({ product: 'package', credits }, action),
    subscribe: ({ sku }) => this.order({ product: 'subscription', sku }),
    change: ({ sku }) => this.ofSubscription('change', { sku }),
    cancel: () => this.ofSubscription('cancel'),
    undo: () => this.ofSubscription('undo'),
    card: ({ works }) => this.side.setFunds(this.accountId, works ? 'works' : 'declines'),
    move: async ({ country }) =>
      this.billing.contacts.set(this.accountId, { details: { ...ADDRESS, country } }),
    refund: (command) => this.refund(command),
    failRefund: async ({ pick }) => {
      const refunds = await this.own(this.side.refunds());
      const standing = refunds.filter(({ stands }) => stands);
      return given(chosen(standing, pick), ({ id }) => this.side.failRefund(id));
    },
    dispute: async ({ pick }) => {
      const taken = [...this.side.refunds(), ...this.side.disputes()];
      const disputed = chosen(await this.side.paymentsOf(this.accountId), pick);
      if (taken.some(({ paymentId }) => paymentId === disputed)) return false;
      return given(disputed, (id) => this.side.dispute(id));
    },
    decide: async ({ pick, decision }) =>
      given(chosen(await this.own(this.side.disputes()), pick), ({ id }) =>
        this.side.decideDispute(id, decision),
      ),
    delete: () => this.turn(true),
    restore: () => this.turn(false),
    advance: ({ days }) => this.advance(days),
    lose: async () => {},
    repeatCallback: async ({ pick }) => {
      const callback = chosen(this.heard, pick);
      if (callback) await this.send(callback);
    },
    holdCallbacks: async () => void (this.isHolding = true),
    dropCallbacks: async () => void (this.side.callbacks.faults.drop = true),
    releaseReversed: async () => {
      this.side.callbacks.faults.drop = false;
      this.isHolding = false;
      this.waiting.reverse();
    },
  };

  /**
   * Lets time pass. The job that finds lost callbacks runs every ten minutes, so it has found them by the end, unless the
   * network fails. Without it, PayPal's payments would be read after further changes, which hide the plan they paid for.
   */
  private async advance(days: number): Promise<void> {
    await this.billing.pass(days * DAY_MS);
    if (this.callsToLose === 0) await this.billing.runJob(MissedEventsJob);
  }

  private async order(wish: object, action: CheckoutAction = 'pay'): Promise<boolean> {
    const { billing, accountId } = this;
    const body = { ...wish, processor: this.side.name };
    const headers = { 'idempotency-key': newId() };
    const answer = await billing.call('POST', 'orders', { accountId, body, headers });
    if (answer.status !== 201) return false;
    await pressButton(answer.body.redirect_url, action);
    return true;
  }

  /** @returns false if the account has no current subscription or the step is refused. */
  async ofSubscription(
    step: string,
    body: object = {},
    action: CheckoutAction = 'pay',
  ): Promise<boolean> {
    const { billing, accountId } = this;
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    const current = listed.subscriptions.find((one: { is_current: boolean }) => one.is_current);
    if (!current) return false;
    const path = `subscriptions/${current.id}/${step}`;
    const { status, body: answer } = await billing.call('POST', path, { accountId, body });
    if (status !== 200) return false;
    const page = answer.redirect_url as string | null;
    if (page) await this.side.agree(page, action);
    return true;
  }

  private async own(taken: readonly TakenBack[]): Promise<TakenBack[]> {
    const payments = await this.side.paymentsOf(this.accountId);
    return taken.filter(({ paymentId }) => payments.includes(paymentId));
  }

  private async refund({ pick, scope, cents }: Extract<MoneyCommand, { kind: 'refund' }>) {
    const { billing, accountId } = this;
    const operator = { accountId, caller: 'cli' } as const;
    const { body } = await billing.call('GET', 'operator/payments', operator);
    const paymentId = chosen(body.payments as { paymentId: string }[], pick)?.paymentId;
    if (!paymentId) return false;
    const amount = scope === 'whole' && cents ? { amountMicros: String(cents * 10_000) } : {};
    const wish = { refundId: newId(), paymentId, scope, reason: 'asked', ...amount };
    const { status } = await billing.call('POST', 'operator/refunds', { ...operator, body: wish });
    return status === 200;
  }

  private async turn(isDeleted: boolean): Promise<boolean> {
    if (this.isDeleted === isDeleted) return false;
    this.isDeleted = isDeleted;
    this.billing.clock.advance(1_000);
    await this.billing.deliver(isDeleted ? 'deleted' : 'restored', this.accountId);
    return true;
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

  /** Delivers the waiting callbacks, unless they are held, and fetches the objects that they name. */
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
    const violated = await this.billing.violations(this.firstKey);
    const errors = this.billing.takeErrors().filter(isFault);
    const faults = [...violated.map((one) => JSON.stringify(one)), ...errors];
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

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
 * Whether a logged error is a fault. A refund that the processor refuses is only logged. A busy machine may fail to
 * open a connection; the end of each history shows that the effects are repaired.
 */
const isFault = (line: string) =>
  !line.includes('a refund was not made') &&
  !line.includes('Connection terminated due to connection timeout');

/** Acts on what was found, if anything. @returns whether anything was found. */
function given<T>(found: T | undefined, act: (found: T) => unknown): boolean {
  if (found !== undefined) act(found);
  return found !== undefined;
}

const chosen = <T>(from: readonly T[], pick: number): T | undefined => from[pick % from.length];
