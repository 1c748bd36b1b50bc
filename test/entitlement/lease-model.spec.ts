import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Book } from '../../apps/entitlement/src/ledger/book.js';
import { leaseAmount } from '../../apps/entitlement/src/leases/lease-amount.js';
import {
  type Chargeable,
  chargeTo,
  closeReservation,
} from '../../apps/entitlement/src/reservations/charge.js';

/** A lease as its holder sees it: every total that the holder may have sent, delivered or not. */
interface Held {
  lease: Chargeable;
  spent: number;
  isGone: boolean;
  totals: number[];
}

type Charge = (...given: Parameters<typeof chargeTo>) => unknown;

const NOW = new Date('2026-03-02T09:00:00Z');
const RUNS = 500;
const SEED = 20_261_122;
const COMMANDS_MAX = 40;

const pick = fc.nat(1_000);
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const command = fc.oneof(
  fc.record({ kind: kind('buy'), credits: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ kind: kind('acquire'), min: fc.integer({ min: 1, max: 40 }), wanted: fc.nat(200) }),
  fc.record({ kind: kind('answer'), pick, cost: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: kind('settle'), pick, which: pick }),
  fc.record({ kind: kind('giveBack'), pick, which: pick }),
  fc.record({ kind: kind('close'), pick, which: pick }),
  fc.record({ kind: kind('reap'), pick }),
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** A model of an account's leases whose messages arrive late, twice and in any order. */
class LeaseHistory {
  private readonly book = new Book(
    { id: 'account', state: 'active', available: 0, allowanceVersion: 0, lastGranted: 0 },
    [],
    [],
    NOW,
  );
  private readonly held: Held[] = [];
  private granted = 0;
  private answered = 0;

  constructor(private readonly charge: Charge) {}

  run(step: Command): void {
    if (step.kind === 'buy') this.buy(step.credits);
    else if (step.kind === 'acquire') this.acquire(step.min, step.wanted);
    else this.use(step);
    this.check();
  }

  /** At the end, every holder reports its last total, and the remaining credits are returned. */
  end(): void {
    for (const { lease, spent } of this.held) {
      this.charge(this.book, lease, spent);
      closeReservation(this.book, lease);
      this.check();
    }
    const unbilled = this.held.reduce((sum, { lease }) => sum + lease.unbilled, 0);
    holds(this.sum('reserved') === 0, 'credits are stranded');
    holds(this.sum('consumed') + unbilled === this.answered, 'answered, but not charged');
  }

  private buy(credits: number): void {
    this.granted += credits;
    const sourceId = String(this.granted);
    this.book.issue({ sourceType: 'package', sourceId, sourceIndex: 0, granted: credits });
  }

  private acquire(min: number, wanted: number): void {
    const amount = leaseAmount(min, wanted, this.book.spendable);
    if (amount === 0) return;
    const id = String(this.held.length);
    const reference = `lease:${id}`;
    const slices = this.book.reserve(amount, reference);
    const lease: Chargeable = {
      id,
      reference,
      accountId: 'account',
      state: 'open',
      amount,
      slices,
      consumed: 0,
      late: 0,
      unbilled: 0,
    };
    this.held.push({ lease, spent: 0, isGone: false, totals: [0] });
  }

  private use(step: Exclude<Command, { kind: 'buy' | 'acquire' }>): void {
    const held = this.held.at(step.pick % Math.max(1, this.held.length));
    if (!held) return;
    const { lease, totals } = held;
    const sent = 'which' in step ? totals[step.which % totals.length] : 0;
    switch (step.kind) {
      case 'answer':
        // The holder cannot know that its lease was revoked, so it continues to spend the granted credits.
        if (held.isGone || held.spent + step.cost > lease.amount) return;
        held.spent += step.cost;
        this.answered += step.cost;
        return void totals.push(held.spent);
      case 'settle':
        return void this.charge(this.book, lease, sent);
      case 'giveBack':
        held.isGone = true;
        this.charge(this.book, lease, sent);
        return void (
          lease.state === 'open' && this.book.release(lease, held.spent - lease.consumed)
        );
      default:
        held.isGone ||= step.kind === 'close';
        this.charge(this.book, lease, sent);
        return void closeReservation(this.book, lease);
    }
  }

  private check(): void {
    const parts = ['available', 'reserved', 'consumed'] as const;
    const all = parts.reduce((total, part) => total + this.sum(part), 0);
    holds(all === this.granted, 'credits appeared or vanished');
    const isNegative = this.book.all.some((grant) => parts.some((part) => grant[part] < 0));
    holds(!isNegative, 'a bucket fell below zero');
    holds(this.sum('consumed') <= this.answered, 'charged for more than was answered');
    const isBeyond = this.held.some(({ lease, spent }) => lease.consumed > spent);
    holds(!isBeyond, 'a lease was charged for more than its holder spent');
  }

  private sum(bucket: 'available' | 'reserved' | 'consumed'): number {
    return this.book.all.reduce((total, grant) => total + grant[bucket], 0);
  }
}

/** Checks a condition. This is cheaper than calling `expect` in each of many thousands of steps. */
function holds(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

function outcomeWith(charge: Charge) {
  const histories = fc.array(command, { minLength: 5, maxLength: COMMANDS_MAX, size: 'max' });
  const property = fc.property(histories, (steps) => {
    const history = new LeaseHistory(charge);
    history.run({ kind: 'buy', credits: 200 });
    for (const step of steps) history.run(step);
    history.end();
  });
  return fc.check(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
}

describe('leases whose totals arrive late, twice and in any order', () => {
  it('no customer is charged for more answers than were given, and no credit is stranded, spent twice or lost', () => {
    const { failed, counterexample, errorInstance } = outcomeWith(chargeTo);
    expect({ failed, counterexample, errorInstance }).toMatchObject({ failed: false });
  });

  it('without cumulative totals, some history charges twice', () => {
    const { failed } = outcomeWith((book, lease, total) => {
      const { consumed } = lease;
      lease.consumed = 0;
      chargeTo(book, lease, total);
      lease.consumed = Math.max(consumed, lease.consumed);
    });
    expect(failed).toBe(true);
  });

  it('without late debits, some answers of a history are free', () => {
    const { failed } = outcomeWith((book, lease, total) => {
      if (lease.state === 'open') chargeTo(book, lease, total);
    });
    expect(failed).toBe(true);
  });
});
