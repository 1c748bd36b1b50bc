import {
  type PaymentConfirmed,
  type PaymentLine,
  type PaymentReversed,
  type SubscriptionChanged,
  type SubscriptionState,
} from '#libs/contracts';
import { DAY_MS, HOUR_MS, addMonths } from '#libs/platform';
import type { Random } from '../../random.js';

/** When every history begins: the last day of a month, so that slices have days to be clamped. */
export const BEGIN = new Date('2026-01-31T00:00:00Z');
/** In days: nothing new happens after them, and what then still ends by itself. */
export const HORIZON_DAYS = 400;
export const REST_DAYS = 150;
const OPERATIONS_MAX = 8;
const YEAR_PERCENT = 83n;

/** Credits a month, and what a month costs in millionths. */
const TIERS = [
  [5_000, 10_000_000n],
  [15_000, 27_000_000n],
  [50_000, 75_000_000n],
  [150_000, 195_000_000n],
] as const;

/** Something that billing says, with names for ids; the order in which it happened. */
export interface Said {
  at: Date;
  order: number;
  event:
    | { kind: 'snapshot'; data: SubscriptionChanged }
    | { kind: 'payment'; data: PaymentConfirmed }
    | { kind: 'reversed'; data: PaymentReversed }
    | { kind: 'undone'; data: { reversalId: string } };
}

export interface BoughtLine {
  id: string;
  paid: bigint;
  credits?: number;
  stretch?: {
    subscription: string;
    interval: 'month' | 'year';
    start: Date;
    end: Date;
    from: Date;
    monthly: number;
  };
  reversals: Map<string, Taken>;
}

export interface Taken {
  phase: 'requested' | 'final';
  refunded: bigint;
  from?: Date;
  isUndone: boolean;
}

interface Running {
  id: string;
  interval: 'month' | 'year';
  tier: number;
  state: SubscriptionState;
  start: Date;
  end: Date;
  /** Undefined until the first stretch is paid. */
  paidThrough?: Date;
  base?: BoughtLine;
  cancelAt?: Date;
  pending?: { tier: number } | { interval: 'year' };
}

/**
 * One customer at a processor with the habits of two: a renewal moves the period before it is paid,
 * fails, is paid late or again; plans rise within a slice and while past due; refunds of both scopes;
 * disputes that are lost, won, reopened; a change of interval at the period's end.
 */
export class Processor {
  readonly said: Said[] = [];
  readonly lines: BoughtLine[] = [];
  private readonly running: Running[] = [];
  private readonly queue: { at: number; order: number; work: () => void }[] = [];
  private now = BEGIN;
  private names = 0;
  private orders = 0;

  constructor(private readonly random: Random) {
    const { random: chance } = this;
    this.at(BEGIN, () =>
      this.subscribe(chance.pick(['month', 'month', 'year']), chance.between(0, 2)),
    );
    let hours = 0;
    for (let count = chance.between(1, OPERATIONS_MAX); count > 0; count--) {
      hours += Math.floor(-Math.log(1 - chance.next()) * 25 * 24);
      this.at(new Date(BEGIN.getTime() + hours * HOUR_MS), () => this.operate());
    }
    const horizon = BEGIN.getTime() + HORIZON_DAYS * DAY_MS;
    for (;;) {
      this.queue.sort((a, b) => a.at - b.at || a.order - b.order);
      const next = this.queue.shift();
      if (!next || next.at > horizon) break;
      this.now = new Date(next.at);
      next.work();
    }
  }

  private operate(): void {
    const { random } = this;
    const live = this.running.find(({ state }) => isLive(state));
    const operation = random.pick(OPERATIONS);
    if (operation === 'package') return this.buyPackage();
    if (operation === 'refund' || operation === 'dispute') return this.reverseSome(operation);
    if (operation === 'subscribe') {
      if (!live) this.subscribe(random.pick(['month', 'year']), random.between(0, 2));
      return;
    }
    if (!live) return;
    if (operation === 'upgrade') return this.upgrade(live);
    if (live.state !== 'active') return;
    if (operation === 'downgrade' && live.tier > 0) live.pending = { tier: live.tier - 1 };
    else if (operation === 'to year' && live.interval === 'month')
      live.pending = { interval: 'year' };
    else if (operation === 'cancel') {
      live.cancelAt = live.end;
      if (random.chance(0.5)) this.in(random.pick([1, 100]), () => this.undoCancel(live));
    } else return;
    this.snapshot(live);
  }

  private subscribe(interval: 'month' | 'year', tier: number): void {
    const id = this.name('subscription');
    const [start, state] = [this.now, 'incomplete'] as const;
    const running: Running = { id, interval, tier, state, start, end: endOf(start, interval) };
    this.running.push(running);
    this.snapshot(running);
    this.pay(running);
    this.at(running.end, () => this.renew(running));
  }

  private renew(running: Running): void {
    if (!isLive(running.state) || this.now < running.end) return;
    if (running.cancelAt) {
      running.state = 'cancelled';
      return this.snapshot(running);
    }
    const { pending } = running;
    if (pending && 'tier' in pending) running.tier = pending.tier;
    else if (pending) running.interval = pending.interval;
    running.pending = undefined;
    running.start = running.end;
    running.end = endOf(running.start, running.interval);
    running.base = undefined;
    this.snapshot(running);
    this.at(running.end, () => this.renew(running));
    const chance = this.random.next();
    if (chance < 0.72) return this.in(1, () => this.collect(running));
    this.in(1, () => this.fail(running));
    if (chance > 0.93) return;
    this.in(this.random.pick([2, 5, 9, 20, 45]) * 24, () => this.collect(running));
  }

  private fail(running: Running): void {
    if (running.state !== 'active' || running.base) return;
    running.state = 'past_due';
    this.snapshot(running);
    const { start } = running;
    this.in(14 * 24, () => {
      if (running.state !== 'past_due' || running.start !== start) return;
      running.state = 'unpaid';
      this.snapshot(running);
    });
  }

  private collect(running: Running): void {
    if (running.base || !['active', 'past_due', 'unpaid'].includes(running.state)) return;
    this.pay(running);
    if (this.now >= running.end) this.renew(running);
  }

  private pay(running: Running): void {
    const { id: subscription, interval, start, end, tier } = running;
    const [monthly] = TIERS[tier];
    const stretch = { subscription, interval, start, end, from: start, monthly };
    running.base = this.confirm('subscription', { paid: priceOf(tier, interval), stretch });
    running.state = 'active';
    running.paidThrough = end;
    this.snapshot(running);
  }

  private upgrade(running: Running): void {
    if (running.tier === TIERS.length - 1 || this.now >= running.end) return;
    // A plan change needs the running period paid; who is past due pays first.
    if (!running.base) this.collect(running);
    if (running.state !== 'active' || !running.base) return;
    const old = running.tier;
    const tier = (running.tier = this.random.between(old + 1, TIERS.length - 1));
    const { id: subscription, interval, start, end } = running;
    const difference = priceOf(tier, interval) - priceOf(old, interval);
    const paid = partOf(
      difference,
      end.getTime() - this.now.getTime(),
      end.getTime() - start.getTime(),
    );
    const monthly = TIERS[tier][0] - TIERS[old][0];
    const stretch = { subscription, interval, start, end, from: this.now, monthly };
    this.confirm('subscription_upgrade', { paid, stretch });
    this.snapshot(running);
  }

  private undoCancel(running: Running): void {
    if (running.state !== 'active' || this.now >= running.end) return;
    running.cancelAt = undefined;
    this.snapshot(running);
  }

  private buyPackage(): void {
    this.confirm('package', { paid: 19_000_000n, credits: 5_000 });
  }

  private reverseSome(cause: 'refund' | 'dispute'): void {
    const { random } = this;
    if (this.lines.length === 0) return;
    const line = random.pick(this.lines.slice(-4));
    if (cause === 'dispute') return this.dispute(line);
    const isRemaining = random.chance(0.5);
    const id = this.request(cause, line, isRemaining, random.pick([1, 1, 0.5]));
    if (!id) return;
    const hours = random.pick([0, 1, 30, 200]);
    const isDone = random.chance(0.85);
    this.in(hours, () => (isDone ? this.announce(cause, line, id, 'final') : this.undo(line, id)));
  }

  private dispute(line: BoughtLine): void {
    const { random } = this;
    const id = this.request('dispute', line, false, 1);
    if (!id) return;
    const lost = random.pick([1, 48, 400]);
    this.in(lost, () => this.announce('dispute', line, id, 'final'));
    if (random.chance(0.5)) {
      const won = lost + random.pick([10, 300, 1_500]);
      this.in(won, () => this.undo(line, id));
      if (random.chance(0.3)) {
        this.in(won + 50, () => {
          const again = this.request('dispute', line, false, 1);
          if (again) this.announce('dispute', line, again, 'final');
        });
      }
    } else if (random.chance(0.3)) this.in(lost + 24, () => this.payAgain(line));
  }

  /** The customer pays a period again after its dispute was lost. */
  private payAgain({ paid, stretch }: BoughtLine): void {
    if (stretch?.from.getTime() !== stretch?.start.getTime() || !stretch) return;
    this.confirm('subscription', { paid, stretch });
  }

  private request(
    cause: 'refund' | 'dispute',
    line: BoughtLine,
    isRemaining: boolean,
    share: number,
  ): string | undefined {
    const counting = [...line.reversals.values()].filter(({ isUndone }) => !isUndone);
    const left = line.paid - counting.reduce((sum, { refunded }) => sum + refunded, 0n);
    const { stretch } = line;
    const isWithin = stretch && stretch.from <= this.now && this.now < stretch.end;
    if (isRemaining && !isWithin) return undefined;
    const [rest, whole] = stretch
      ? [stretch.end.getTime() - this.now.getTime(), stretch.end.getTime() - stretch.from.getTime()]
      : [0, 1];
    // All of the rest, or any amount of what is left.
    const money = isRemaining ? partOf(line.paid, rest, whole) : partOf(left, share * 2, 2);
    const refunded = money < left ? money : left;
    if (refunded <= 0n) return undefined;
    const id = this.name('reversal');
    const from = isRemaining ? this.now : undefined;
    line.reversals.set(id, { phase: 'requested', refunded, from, isUndone: false });
    this.announce(cause, line, id, 'requested');
    return id;
  }

  private announce(
    cause: 'refund' | 'dispute',
    line: BoughtLine,
    reversalId: string,
    phase: 'requested' | 'final',
  ): void {
    const taken = line.reversals.get(reversalId);
    if (!taken || taken.isUndone) return;
    taken.phase = phase;
    const money = { refundedMicros: String(taken.refunded), paidMicros: String(line.paid) };
    const scope = taken.from
      ? ({ scope: 'remaining', from: taken.from.toISOString() } as const)
      : ({ scope: 'whole' } as const);
    const lines = [{ lineId: line.id, ...money, ...scope }];
    const data = { reversalId, paymentId: paymentOf(line.id), cause, phase, lines };
    this.say({ kind: 'reversed', data });
  }

  private undo(line: BoughtLine, reversalId: string): void {
    const taken = line.reversals.get(reversalId);
    if (!taken || taken.isUndone) return;
    taken.isUndone = true;
    this.say({ kind: 'undone', data: { reversalId } });
  }

  private confirm(
    kind: 'package' | 'subscription' | 'subscription_upgrade',
    bought: Omit<BoughtLine, 'id' | 'reversals'>,
  ): BoughtLine {
    const line: BoughtLine = { ...bought, id: this.name('line'), reversals: new Map() };
    this.lines.push(line);
    const { paid, credits, stretch } = line;
    const money = { lineId: line.id, sku: 'test', quantity: 1, amountMicros: String(paid) };
    const parts = stretch && {
      subscriptionId: stretch.subscription,
      interval: stretch.interval,
      periodStart: stretch.start.toISOString(),
      periodEnd: stretch.end.toISOString(),
      from: stretch.from.toISOString(),
      monthlyCredits: String(stretch.monthly),
    };
    const data = {
      paymentId: paymentOf(line.id),
      amountMicros: String(paid),
      currency: 'USD',
      catalogueVersion: '2026-11',
      lines: [{ ...money, kind, ...(parts ?? { credits: String(credits) }) } as PaymentLine],
    };
    this.say({ kind: 'payment', data });
    return line;
  }

  private snapshot(running: Running): void {
    const { id, state, interval, start, end, paidThrough, cancelAt } = running;
    const data: SubscriptionChanged = {
      subscriptionId: id,
      line: 'api',
      state,
      sku: `api-${running.tier}`,
      quantity: 1,
      interval,
      periodStart: start.toISOString(),
      periodEnd: end.toISOString(),
      ...(paidThrough && { paidThrough: paidThrough.toISOString() }),
      ...(cancelAt && { cancelAt: cancelAt.toISOString() }),
      limits: { live: 40, bulk: 10, heavy: 5 },
      monitors: { domain: 20, brand: 2, registrant: 2 },
      keys: 3,
      datasets: [],
      catalogueVersion: '2026-11',
    };
    this.say({ kind: 'snapshot', data });
  }

  private say(event: Said['event']): void {
    this.said.push({ at: this.now, order: this.said.length, event });
  }

  private name(kind: string): string {
    return `${kind} ${this.names++}`;
  }

  private in(hours: number, work: () => void): void {
    this.at(new Date(this.now.getTime() + hours * HOUR_MS), work);
  }

  private at(at: Date, work: () => void): void {
    this.queue.push({ at: at.getTime(), order: this.orders++, work });
  }
}

const OPERATIONS = [
  'upgrade',
  'upgrade',
  'downgrade',
  'to year',
  'cancel',
  'refund',
  'refund',
  'dispute',
  'dispute',
  'package',
  'subscribe',
] as const;

const isLive = (state: SubscriptionState) => !['cancelled', 'unpaid'].includes(state);
const endOf = (start: Date, interval: 'month' | 'year') =>
  addMonths(start, interval === 'year' ? 12 : 1);
const paymentOf = (line: string) => line.replace('line', 'payment');

function priceOf(tier: number, interval: 'month' | 'year'): bigint {
  const [, micros] = TIERS[tier];
  return interval === 'year' ? (micros * 12n * YEAR_PERCENT) / 100n : micros;
}

function partOf(money: bigint, part: number, whole: number): bigint {
  return (money * BigInt(part)) / BigInt(whole);
}
