const DAY_MS = 24 * 60 * 60 * 1000;

export interface ModelLease {
  id: string;
  amount: number;
  used: number;
  isOpen: boolean;
}

export interface ModelPeriod {
  subscriptionId: string;
  lineId: string;
  start: Date;
  end: Date;
  months: number;
  credits: number;
  until: Date;
}

/**
 * What a customer may expect, in plain sums: which sources have granted what, what was used, what is set aside. It does
 * not model buckets, burn order, expiry or debt.
 */
export class CreditModel {
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

  /** Every slice that has started and was paid for; refunds are counted separately. */
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

  /** True as long as the balance is exactly the grants less the usage. */
  get isPlain(): boolean {
    return this.state === 'active' && this.periods.length === 0 && this.reversals.length === 0;
  }

  /** The rule of 402: what other leases hold unused may still come back. */
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

/** Counts days of months, unlike the code that it checks. */
export function monthsAfter(anchor: Date, months: number): Date {
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(anchor.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const time = anchor.getTime() % DAY_MS;
  const day = Math.min(anchor.getUTCDate(), lastDay);
  return new Date(Date.UTC(anchor.getUTCFullYear(), month, day) + time);
}
