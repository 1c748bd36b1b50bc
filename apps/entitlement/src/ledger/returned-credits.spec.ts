import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS } from '#libs/platform';
import { Book } from './book.js';
import type { Grant } from './grant.js';
import type { Reservation } from './reservation.js';

const END = Date.parse('2026-04-02T09:00:00Z');
const PLAN = 15_000;
const TARGETS = {
  requested: (amount: number) => ({ requested: amount, final: 0 }),
  final: (amount: number) => ({ requested: amount, final: amount }),
  undone: () => ({ requested: 0, final: 0 }),
};
const PHASES = ['requested', 'final', 'undone'] as const;
type Phase = (typeof PHASES)[number];

/** A plan whose credits jobs hold as it ends. */
class EndedPlan {
  readonly book = new Book(
    { id: 'account', state: 'active', available: 0, allowanceVersion: 0, lastGranted: 0 },
    [],
    [],
    new Date(END - DAY_MS),
  );
  readonly plan: Grant;
  readonly jobs: Reservation[];

  constructor(granted: number, held: readonly number[], used = 0) {
    const line = { sourceId: 'line', sourceIndex: 0, lineId: 'line' };
    const source = { ...line, sourceType: 'subscription', granted } as const;
    this.plan = this.book.issue({ ...source, expiresAt: new Date(END) });
    this.jobs = held.map((amount, at) => {
      const reference = `hold:${at}`;
      return { id: `${at}`, reference, slices: this.book.reserve(amount, reference) };
    });
    if (used > 0) this.book.consume(this.jobs[0], used);
    this.passDays(2);
  }

  passDays(days: number): void {
    this.book.now = new Date(this.book.now.getTime() + days * DAY_MS);
    this.book.expire();
  }

  close(job: Reservation): void {
    this.book.giveBack(this.book.release(job), job.id);
  }

  reach(phase: Phase, amount: number): void {
    this.book.retarget(this.plan, TARGETS[phase](amount));
  }

  use(credits: number): void {
    const reference = 'hold:use';
    const slices = this.book.reserve(credits, reference);
    this.book.consume({ id: 'use', reference, slices }, credits);
  }

  get state() {
    const owed = this.book.all.reduce((sum, grant) => sum + grant.owed, 0);
    return { spendable: this.book.spendable, owed };
  }
}

function* permutationsOf<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length === 0) yield [];
  for (const first of items) {
    for (const rest of permutationsOf(items.filter((item) => item !== first))) {
      yield [first, ...rest];
    }
  }
}

describe('credits that jobs return after the end of their plan', () => {
  let ended: EndedPlan;

  beforeEach(() => {
    ended = new EndedPlan(PLAN, [PLAN]);
  });

  it('are the same after the same events, in whatever order jobs close and a reversal is requested, final and undone', () => {
    const part = fc.integer({ min: 1, max: 100 });
    const property = fc.property(
      fc.array(part, { minLength: 1, maxLength: 2 }),
      fc.nat(60),
      fc.nat(100),
      fc.nat(100),
      (held, unheld, usedPercent, reversedPercent) => {
        const granted = unheld + held.reduce((sum, amount) => sum + amount, 0);
        const used = Math.floor((held[0] * usedPercent) / 100);
        const reversed = Math.ceil((granted * reversedPercent) / 100);
        const states = new Map<string, object>();
        for (const events of permutationsOf([...held.keys(), ...PHASES])) {
          const order = new EndedPlan(granted, held, used);
          let reached = -1;
          for (const [at, event] of events.entries()) {
            if (typeof event === 'number') order.close(order.jobs[event]);
            // A phase that is overtaken by a later one has no effect.
            else if (PHASES.indexOf(event) > reached) {
              reached = PHASES.indexOf(event);
              order.reach(event, reversed);
            }
            const closed = events.slice(0, at + 1).filter((one) => typeof one === 'number');
            const happened = `${closed.sort().join()} ${reached}`;
            const known = states.get(happened) ?? order.state;
            states.set(happened, known);
            expect({ events, at, state: order.state }).toEqual({ events, at, state: known });
          }
          expect(order.state).toEqual({ spendable: granted - unheld - used, owed: 0 });
        }
      },
    );
    fc.assert(property, { numRuns: 40, seed: 20_261_124 });
  });

  it('are owed when they were used after an undone reversal, and the reversal comes back', () => {
    ended.close(ended.jobs[0]);
    ended.reach('final', PLAN);
    ended.passDays(20);
    ended.reach('undone', PLAN);
    expect(ended.state).toEqual({ spendable: PLAN, owed: 0 });
    ended.use(10_000);
    ended.reach('final', PLAN);
    expect(ended.state).toEqual({ spendable: 0, owed: 10_000 });
    ended.passDays(20);
    ended.reach('undone', PLAN);
    expect(ended.state).toEqual({ spendable: PLAN - 10_000, owed: 0 });
  });

  it('are valid for seven days from the first return, whatever other jobs return in that time', () => {
    ended = new EndedPlan(PLAN, [PLAN - 2, 1, 1]);
    const [most, second, third] = ended.jobs;
    ended.close(most);
    ended.passDays(6);
    ended.close(second);
    expect(ended.book.spendable).toBe(PLAN - 1);
    ended.passDays(1);
    expect(ended.book.spendable).toBe(0);
    ended.close(third);
    expect(ended.book.spendable).toBe(1);
    ended.passDays(7);
    expect(ended.book.spendable).toBe(0);
  });

  it('lose a reversed part once, however many slices of a plan a job held', () => {
    ended.reach('final', PLAN / 2);
    const [{ slices, ...job }] = ended.jobs;
    const slice = { ...slices[0], amount: PLAN / 3 };
    ended.close({ ...job, slices: [{ ...slice }, { ...slice }, { ...slice }] });
    expect(ended.state).toEqual({ spendable: PLAN / 2, owed: 0 });
  });
});
