import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AccountDeleted, AccountErased, AccountRestored } from '#libs/contracts';
import { newId } from '#libs/platform';
import { LeaseReaperService } from '../../apps/entitlement/src/leases/lease-reaper.service.js';
import { EntitlementUnderTest } from './entitlement-under-test.js';

const DAY_MS = 24 * 60 * 60 * 1000;

interface ModelLease {
  id: string;
  amount: number;
  used: number;
  isOpen: boolean;
}

interface ModelPeriod {
  subscriptionId: string;
  lineId: string;
  start: Date;
  end: Date;
  months: number;
  credits: number;
  until: Date;
}

/**
 * A model of a customer's expectations as plain sums: the credits granted by each source, used, and set aside. It does
 * not model buckets, burn order, expiry or debt.
 */
class CreditModel {
  now: Date;
  state: 'active' | 'deleted' | 'erased' = 'active';
  used = 0;
  readonly lines: { id: string; credits: number }[] = [];
  readonly leases: ModelLease[] = [];
  readonly periods: ModelPeriod[] = [];
  readonly reversals: { id: string; isUndone: boolean }[] = [];
  private readonly slices = new Map<string, number>();

  constructor(now: Date) {
    this.now = now;
  }

  advance(days: number): void {
    this.now = new Date(this.now.getTime() + days * DAY_MS);
  }

  /** Issues the credits of every paid slice that has started. Refunds are counted separately. */
  issueSlices(): void {
    for (const period of this.periods) {
      for (let index = 0; index < period.months; index++) {
        const start = monthsAfter(period.start, index);
        const key = `${period.lineId}:${index}`;
        if (start <= this.now && start < period.until && !this.slices.has(key)) {
          this.slices.set(key, period.credits);
        }
      }
    }
  }

  get granted(): number {
    const bought = this.lines.reduce((sum, { credits }) => sum + credits, 0);
    return [...this.slices.values()].reduce((sum, credits) => sum + credits, bought);
  }

  get reserved(): number {
    const open = this.leases.filter(({ isOpen }) => isOpen);
    return open.reduce((sum, { amount, used }) => sum + amount - used, 0);
  }

  /** True if the balance equals the grants less the usage. */
  get isPlain(): boolean {
    return this.state === 'active' && this.periods.length === 0 && this.reversals.length === 0;
  }

  /**
   * Returns the expected outcome of a request for a lease. Unused credits in other leases may still be returned. If
   * these would be sufficient, the outcome is not `insufficient`, which would cause a 402.
   */
  expectedOutcome(spendable: number, min: number): 'granted' | 'insufficient' | 'elsewhere' {
    if (spendable >= min) return 'granted';
    return spendable + this.reserved < min ? 'insufficient' : 'elsewhere';
  }

  use(lease: ModelLease, total: number): void {
    this.used += Math.max(0, total - lease.used);
    lease.used = Math.max(lease.used, total);
  }

  get current(): ModelPeriod | undefined {
    return this.periods.at(-1);
  }
}

/**
 * Returns the time this many months after `anchor`, in a shorter month on its last day. Calculates with the days of
 * each month, unlike the code under test.
 */
function monthsAfter(anchor: Date, months: number): Date {
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(anchor.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const time = anchor.getTime() % DAY_MS;
  const day = Math.min(anchor.getUTCDate(), lastDay);
  return new Date(Date.UTC(anchor.getUTCFullYear(), month, day) + time);
}

/** Seeds of histories that once failed. */
const SEEDS = [20_261_122];
const RUNS = 20;
const COMMANDS_MAX = 30;

const pick = fc.nat(1_000);
const credits = fc.integer({ min: 1, max: 900 });
const cost = fc.integer({ min: 1, max: 250 });
const share = fc.constantFrom('0.1', '0.25', '0.333333', '0.5', '1');
const kind = <Kind extends string>(name: Kind) => fc.constant(name);

/**
 * Actions of customers, gateways and processors, and the passage of time; `pick` chooses among the existing objects.
 */
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('buy'), credits }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('announceAgain'), pick }) },
  { weight: 10, arbitrary: fc.record({ kind: kind('acquire'), min: cost, wanted: credits }) },
  { weight: 10, arbitrary: fc.record({ kind: kind('settle'), pick, percent: fc.nat(100) }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('close'), pick, percent: fc.nat(100) }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('crash'), pick }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('subscribe'), isYear: fc.boolean(), credits }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('renew') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('cancel') }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('reverse'), pick, share }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('undo'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete') }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('restore') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('erase') }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: kind('advance'), days: fc.integer({ min: 1, max: 45 }) }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

describe('credits in every history', () => {
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());

  class History {
    readonly accountId = newId();
    readonly subscriptionId = newId();
    readonly model: CreditModel;
    /** The credits that are available or reserved, less the debt. */
    private left = 0;

    constructor() {
      entitlement.clock.set('2026-01-31T12:00:00Z');
      this.model = new CreditModel(entitlement.clock.now());
    }

    async run(step: Command): Promise<void> {
      await this.apply(step);
      await entitlement.advanceAll();
      this.model.issueSlices();
      await this.compare();
    }

    private async apply(step: Command): Promise<void> {
      const { model, accountId } = this;
      switch (step.kind) {
        case 'buy': {
          const id = await entitlement.buy(accountId, step.credits);
          return void model.lines.push({ id, credits: step.credits });
        }
        case 'announceAgain': {
          const line = chosen(model.lines, step.pick);
          if (!line) return;
          const { id: lineId } = line;
          const credits = String(line.credits);
          return void (await entitlement.pay(accountId, { kind: 'package', credits, lineId }));
        }
        case 'acquire':
          return this.acquire(step.min, step.wanted);
        case 'settle':
        case 'close':
        case 'crash':
          return this.report(step);
        case 'subscribe':
        case 'renew':
        case 'cancel':
          return this.subscription(step);
        case 'reverse':
        case 'undo':
          return this.reversal(step);
        case 'advance':
          model.advance(step.days);
          return entitlement.clock.set(model.now);
        default:
          return this.lifecycle(step.kind);
      }
    }

    private async acquire(min: number, wanted: number): Promise<void> {
      const { model, accountId } = this;
      const { spendable } = await entitlement.client.balance(accountId);
      const id = newId();
      const answer = await entitlement.client.acquire({
        accountId,
        leaseId: id,
        gatewayId: 'gateway-1',
        min,
        wanted,
      });
      expect(answer.outcome).toBe(model.expectedOutcome(spendable, min));
      if (answer.outcome !== 'granted') return;
      expect(answer.amount).toBeGreaterThanOrEqual(min);
      model.leases.push({ id, amount: answer.amount, used: 0, isOpen: true });
    }

    /** Settles (twice), closes or expires the lease that the step picks, even if it was closed long before. */
    private async report(step: Extract<Command, { pick: number }>): Promise<void> {
      const { model, accountId } = this;
      const lease = chosen(model.leases, step.pick);
      if (!lease) return;
      const percent = 'percent' in step ? step.percent : 0;
      const consumed = Math.floor((lease.amount * percent) / 100);
      const operations = {
        'whois.live': Math.floor(consumed / 2),
        'dns.live': Math.ceil(consumed / 3),
      };
      const use = { accountId, leaseId: lease.id, consumed, operations };
      if (step.kind === 'settle') {
        await entitlement.client.settle('gateway-1', [use]);
        await entitlement.client.settle('gateway-1', [use]);
      } else if (step.kind === 'close') {
        await entitlement.client.close(use);
      } else {
        await entitlement.database.query(
          `update leases set expires_at = now() - interval '1 day' where account_id = $1 and lease_id = $2`,
          [accountId, lease.id],
        );
        await entitlement.service.app.get(LeaseReaperService).reap();
      }
      model.use(lease, consumed);
      if (step.kind !== 'settle') lease.isOpen = false;
    }

    private async subscription(step: Command): Promise<void> {
      const { model } = this;
      const current = model.current;
      if (step.kind === 'subscribe' && !current) {
        await this.begin(model.now, step.isYear ? 12 : 1, step.credits);
      } else if (step.kind === 'renew' && current && current.end <= model.now) {
        await this.begin(current.end, current.months, current.credits);
      } else if (step.kind === 'cancel' && current && model.now < current.until) {
        await this.announce(current, { cancelAt: current.end.toISOString() });
      }
    }

    private async begin(start: Date, months: number, credits: number): Promise<void> {
      const end = monthsAfter(start, months);
      const { subscriptionId } = this;
      const lineId = await entitlement.pay(this.accountId, {
        kind: 'subscription',
        subscriptionId,
        interval: months === 12 ? 'year' : 'month',
        periodStart: start.toISOString(),
        periodEnd: end.toISOString(),
        from: start.toISOString(),
        monthlyCredits: String(credits),
      });
      const period = {
        subscriptionId,
        lineId,
        start,
        end,
        until: end,
        months,
        credits,
      };
      this.model.periods.push(period);
      await this.announce(period, {});
    }

    private async announce(period: ModelPeriod, extra: { cancelAt?: string }): Promise<void> {
      await entitlement.subscribe(this.accountId, {
        subscriptionId: this.subscriptionId,
        periodStart: period.start.toISOString(),
        periodEnd: period.end.toISOString(),
        interval: period.months === 12 ? 'year' : 'month',
        monthlyCredits: '0',
        ...extra,
      });
    }

    private async reversal(step: Extract<Command, { kind: 'reverse' | 'undo' }>): Promise<void> {
      const { model, accountId } = this;
      if (step.kind === 'undo') {
        const reversal = chosen(model.reversals, step.pick);
        if (!reversal) return;
        await entitlement.undo(accountId, reversal.id);
        reversal.isUndone = true;
        return;
      }
      const target = chosen([...model.lines.map(({ id }) => id), ...model.periods], step.pick);
      if (!target) return;
      const lineId = typeof target === 'string' ? target : target.lineId;
      const id = await entitlement.reverse(accountId, lineId, step.share);
      model.reversals.push({ id, isUndone: false });
    }

    private async lifecycle(change: 'delete' | 'restore' | 'erase'): Promise<void> {
      const { model, accountId } = this;
      const now = model.now.toISOString();
      if (change === 'delete' && model.state === 'active') {
        const deletion = { deletedAt: now, restoreUntil: now };
        await entitlement.deliver(AccountDeleted, accountId, deletion);
        model.state = 'deleted';
      } else if (change === 'restore' && model.state === 'deleted') {
        await entitlement.deliver(AccountRestored, accountId, { restoredAt: now });
        model.state = 'active';
      } else if (change === 'erase' && model.state === 'deleted') {
        await entitlement.deliver(AccountErased, accountId, { erasedAt: now });
        model.state = 'erased';
      }
    }

    private async compare(): Promise<void> {
      const { model, accountId } = this;
      const [sums] = await entitlement.database.query<Record<string, number>>(
        `select coalesce(sum(granted) filter (where source_type <> 'release'), 0)::int as granted, coalesce(sum(available), 0)::int as available,
           coalesce(sum(reserved), 0)::int as held, coalesce(sum(owed), 0)::int as owed,
           (coalesce(sum(reserved), 0) - unposted)::int as reserved, coalesce(sum(revoked), 0)::int as revoked,
           (coalesce(sum(consumed), 0) - coalesce(sum(repaid), 0) + unposted)::int as charged,
           (select coalesce(sum(unbilled), 0) from leases where account_id = $1)::int as unbilled
         from (select coalesce(sum(reported - consumed), 0) as unposted from leases
           where account_id = $1) l
         left join credit_grants on account_id = $1 group by unposted`,
        [accountId],
      );
      const { granted, reserved, used } = model;
      expect(sums).toMatchObject({ granted, reserved, charged: used - sums.unbilled });
      const { spendable, debt } = await entitlement.client.balance(accountId);
      if (model.isPlain) expect(spendable).toBe(granted - sums.charged - reserved);
      if (model.state !== 'active') expect(spendable).toBe(0);
      if (model.state === 'erased') expect(sums.available).toBe(0);
      if (model.reversals.every(({ isUndone }) => isUndone)) expect(debt).toBe(0);
      if (debt === 0 && model.reversals.length === 0 && model.state !== 'erased') {
        expect(sums.revoked).toBe(0);
      }
      this.left = sums.available + sums.held - sums.owed;
      expect(await entitlement.violations()).toEqual([]);
    }

    /** Checks that all lines of the customer's ledger add up to the balance, and that each has the balance after it. */
    async compareLedger(): Promise<void> {
      let [sum, cursor]: [number, string | undefined] = [0, undefined];
      do {
        const { items, paging } = await entitlement.client.ledger(this.accountId, cursor);
        for (const { amount, balance } of items) {
          expect(Number(balance)).toBe(this.left - sum);
          sum += Number(amount);
        }
        cursor = paging.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(sum).toBe(this.left);
    }
  }

  it.each(SEEDS)(
    'no history of seed %i charges twice, grants twice, strands a credit or violates an invariant',
    async (seed) => {
      const histories = fc.array(command, { minLength: 5, maxLength: COMMANDS_MAX, size: 'max' });
      await fc.assert(
        fc.asyncProperty(histories, async (steps) => {
          const history = new History();
          await history.run({ kind: 'buy', credits: 900 });
          for (const step of steps) await history.run(step);
          await history.compareLedger();
        }),
        { numRuns: RUNS, seed, endOnFailure: true },
      );
    },
  );
});

function chosen<T>(among: T[], pickedNumber: number): T | undefined {
  return among.length === 0 ? undefined : among[pickedNumber % among.length];
}
