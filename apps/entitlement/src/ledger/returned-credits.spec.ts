import { isDeepStrictEqual } from 'node:util';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS } from '#libs/platform';
import { permutationsOf } from '../../../../test/permutations.js';
import { type Chargeable, chargeTo, closeReservation } from '../reservations/charge.js';
import { Book } from './book.js';
import type { Grant, NewGrant } from './grant.js';

const END = Date.parse('2026-04-02T09:00:00Z');
const PLAN = 15_000;
const TARGETS = {
  requested: (amount: number) => ({ requested: amount, final: 0 }),
  final: (amount: number) => ({ requested: amount, final: amount }),
  undone: () => ({ requested: 0, final: 0 }),
};
const PHASES = ['requested', 'final', 'undone'] as const;
type Phase = (typeof PHASES)[number];

interface Circumstances {
  used?: number;
  others?: readonly NewGrant[];
  hasEnded?: boolean;
}

class EndedPlan {
  readonly book = new Book(
    { id: 'account', state: 'active', available: 0, allowanceVersion: 0, lastGranted: 0 },
    [],
    [],
    new Date(END - DAY_MS),
  );
  readonly plan: Grant;
  readonly jobs: Chargeable[];

  constructor(
    granted: number,
    held: readonly number[],
    { used = 0, others = [], hasEnded = true }: Circumstances = {},
  ) {
    const line = { sourceId: 'line', sourceIndex: 0, lineId: 'line' };
    const source = { ...line, sourceType: 'subscription', granted } as const;
    this.plan = this.book.issue({ ...source, expiresAt: new Date(END) });
    for (const other of others) this.book.issue(other);
    this.jobs = held.map((amount, at) => this.hold(amount, `${at}`));
    if (used > 0) this.book.consume(this.jobs[0], used);
    if (hasEnded) this.passDays(2);
  }

  hold(amount: number, id: string): Chargeable {
    const reference = `hold:${id}`;
    const slices = this.book.reserve(amount, reference);
    const unused = { consumed: 0, late: 0, unbilled: 0 };
    return { id, reference, accountId: 'account', state: 'open', amount, slices, ...unused };
  }

  passDays(days: number): void {
    this.book.now = new Date(this.book.now.getTime() + days * DAY_MS);
    this.book.expire();
  }

  close(job: Chargeable): void {
    this.book.giveBack(closeReservation(this.book, job));
  }

  reach(phase: Phase, amount: number): void {
    this.book.retarget(this.plan, TARGETS[phase](amount));
  }

  use(credits: number): void {
    this.book.consume(this.hold(credits, 'use'), credits);
  }

  get state() {
    const owed = this.book.all.reduce((sum, grant) => sum + grant.owed, 0);
    return { spendable: this.book.spendable, owed };
  }
}

describe('credits that jobs return after the end of their plan', () => {
  let ended: EndedPlan;

  beforeEach(() => {
    ended = new EndedPlan(PLAN, [PLAN]);
  });

  it('the result does not depend on the order in which jobs close and a reversal is requested, becomes final and is undone', () => {
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
        const all = [...held.keys(), ...PHASES];
        for (const places of permutationsOf(all.length)) {
          const events = places.map((place) => all[place]);
          const order = new EndedPlan(granted, held, { used });
          let reached = -1;
          for (const [at, event] of events.entries()) {
            if (typeof event === 'number') order.close(order.jobs[event]);
            // A phase that arrives after a later one has no effect.
            else if (PHASES.indexOf(event) > reached) {
              reached = PHASES.indexOf(event);
              order.reach(event, reversed);
            }
            order.passDays(1);
            const closed = events.slice(0, at + 1).filter((one) => typeof one === 'number');
            const happened = `${closed.sort().join()} ${reached}`;
            const known = states.get(happened) ?? order.state;
            states.set(happened, known);
            // This check comes first, because `expect` takes longer than all these steps.
            if (isDeepStrictEqual(order.state, known)) continue;
            expect({ events, at, state: order.state }).toEqual({ events, at, state: known });
          }
          expect(order.state).toEqual({ spendable: granted - unheld - used, owed: 0 });
        }
      },
    );
    fc.assert(property, { numRuns: 40, seed: 20_261_124 });
  });

  it('credits used after a reversal was undone become debt if the reversal is repeated', () => {
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

  it('credits stay valid for seven days from their own return, even if other jobs return credits in the meantime', () => {
    ended = new EndedPlan(PLAN, [PLAN - 2, 1, 1]);
    const [most, second, third] = ended.jobs;
    ended.close(most);
    ended.passDays(6);
    ended.close(second);
    expect(ended.book.spendable).toBe(PLAN - 1);
    ended.passDays(1);
    expect(ended.book.spendable).toBe(1);
    ended.close(third);
    expect(ended.book.spendable).toBe(2);
    ended.passDays(6);
    expect(ended.book.spendable).toBe(1);
    ended.passDays(1);
    expect(ended.book.spendable).toBe(0);
    for (const job of ended.jobs) chargeTo(ended.book, job, job.amount);
    expect(ended.jobs.map(({ late, unbilled }) => late + unbilled)).toEqual([0, 0, 0]);
  });

  it('a reversed part is taken only once, however many slices of a plan a job held', () => {
    ended.reach('final', PLAN / 2);
    const [{ slices, ...job }] = ended.jobs;
    const slice = { ...slices[0], amount: PLAN / 3 };
    ended.close({ ...job, slices: [{ ...slice }, { ...slice }, { ...slice }] });
    expect(ended.state).toEqual({ spendable: PLAN / 2, owed: 0 });
  });
});

describe('usage that is reported after jobs have returned their credits', () => {
  const GIFT = { sourceType: 'operator', sourceId: 'gift', sourceIndex: 0 } as const;
  const PACKAGE = { sourceType: 'package', sourceId: 'bought', sourceIndex: 0 } as const;
  const [GIVEN, MONTHLY, BOUGHT] = [30, 100, 80];
  /** A pause is shorter than the validity of returned credits, so that they do not expire within one pause. */
  const PAUSE_DAYS = 2;
  const EVENTS = ['close', 'settle', 'settle more', 'settle more'] as const;
  const TOTAL = { settle: 'some', 'settle more': 'most' } as const;
  type Event = 'end' | 'spend' | { job: number; event: (typeof EVENTS)[number] };

  const jobOf = fc
    .tuple(fc.integer({ min: 1, max: 70 }), fc.nat(100), fc.nat(100))
    .map(([held, ...percents]) => {
      const [some, most] = percents
        .sort((a, b) => a - b)
        .map((of) => Math.floor((held * of) / 100));
      return { held, some, most };
    });
  const historyOf = fc.array(jobOf, { minLength: 1, maxLength: 3 }).chain((jobs) => {
    const events: Event[] = ['end', 'spend'];
    events.push(...jobs.flatMap((_, job) => EVENTS.map((event) => ({ job, event }))));
    const order = fc.shuffledSubarray(events, { minLength: events.length });
    return fc.record({ jobs: fc.constant(jobs), order, wish: fc.nat(100) });
  });

  it('usage is charged once, and no other credit is lost or doubled, in any order of closes, settlements and the plan’s end', () => {
    const property = fc.property(historyOf, ({ jobs, order, wish }) => {
      const others = [
        { ...GIFT, granted: GIVEN, expiresAt: new Date(END) },
        { ...PACKAGE, granted: BOUGHT, lineId: 'bought' },
      ];
      const held = jobs.map((job) => job.held);
      const history = new EndedPlan(MONTHLY, held, { others, hasEnded: false });
      let [hasEnded, spent] = [false, 0];
      // The jobs that still hold their credits at the plan's end; these credits survive it.
      const living = new Set(history.jobs.keys());
      for (const event of order) {
        if (event === 'end') {
          history.passDays(2);
          hasEnded = true;
        } else if (event === 'spend') {
          spent = hasEnded ? Math.min(wish, history.book.spendable) : 0;
          history.use(spent);
        } else if (event.event === 'close') {
          history.close(history.jobs[event.job]);
          if (hasEnded) history.passDays(PAUSE_DAYS);
          else living.delete(event.job);
        } else {
          chargeTo(history.book, history.jobs[event.job], jobs[event.job][TOTAL[event.event]]);
        }
      }
      const unbilled = history.jobs.reduce((sum, job) => sum + job.unbilled, 0);
      const permanent = history.book.all.filter(({ expiresAt }) => !expiresAt);
      const unheld = BOUGHT - heldOf(history.jobs, permanent);
      const left = history.jobs.map((job, at) => {
        let rest = jobs[at].most;
        return job.slices.reduce((sum, { grantId, amount }) => {
          const used = Math.min(rest, amount);
          rest -= used;
          const survives = living.has(at) || permanent.some(({ id }) => id === grantId);
          return survives ? sum + amount - used : sum;
        }, 0);
      });
      const due = left.reduce((sum, credits) => sum + credits, unheld - spent);
      expect(history.state).toEqual({ spendable: due + unbilled, owed: 0 });
      for (const grant of history.book.all) {
        const buckets = [grant.available, grant.reserved, grant.consumed, grant.expired];
        expect(Math.min(...buckets)).toBeGreaterThanOrEqual(0);
        expect(buckets.reduce((sum, credits) => sum + credits)).toBe(grant.granted);
      }
      for (const { returned, reclaimed } of history.jobs.flatMap((job) => job.slices)) {
        expect(reclaimed).toBeLessThanOrEqual(returned);
      }
    });
    fc.assert(property, { numRuns: 500, seed: 20_261_128 });
  });

  it.each([
    ['plan', { granted: 100, others: [] }],
    ['gift', { granted: 1, others: [{ ...GIFT, granted: 100, expiresAt: new Date(END) }] }],
  ])(
    'never takes from the ended %s the credits that another job returned and that are now elsewhere',
    (_, { granted, others }) => {
      const ended = new EndedPlan(granted, [60, 40], { others, hasEnded: false });
      const [early, late] = ended.jobs;
      ended.close(early);
      ended.use(60);
      ended.passDays(2);
      ended.close(late);
      chargeTo(ended.book, early, 60);
      expect([early.late, early.unbilled]).toEqual([40, 20]);
      expect(ended.state).toEqual({ spendable: 0, owed: 0 });
      chargeTo(ended.book, late, 40);
      expect([late.late, late.unbilled]).toEqual([0, 40]);
    },
  );
});

function heldOf(jobs: readonly Chargeable[], grants: readonly Grant[]): number {
  const ids = new Set(grants.map(({ id }) => id));
  const slices = jobs.flatMap((job) => job.slices).filter(({ grantId }) => ids.has(grantId));
  return slices.reduce((sum, { amount }) => sum + amount, 0);
}
