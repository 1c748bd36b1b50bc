import type { HoldUse } from '../lease/journal-lines.js';

/**
 * Reports a hold to the journal at once, and to entitlement; the promises resolve when entitlement has acknowledged it,
 * or the process stops.
 */
export interface HoldReports {
  charged(hold: RequestHold): void;
  /** @param row the row of the request log, with its line ending. */
  finished(hold: RequestHold, row?: string): void;
  settle(hold: RequestHold, part: number, credits: number): Promise<void>;
  /** Called after these newly acknowledged credits have been added to `reported`. */
  settled(hold: RequestHold, credits: number): void;
  close(hold: RequestHold): Promise<void>;
}

/** The facts about a hold that never change. */
export interface NewHold {
  /** The request's id, unique within its account. */
  id: string;
  accountId: string;
  amount: number;
  /** The hold's number in the journal of this process. */
  number: number;
  /** The row, without its line ending, that the request log gets if the gateway crashes during the request. */
  row: string;
}

const SETTLE_INTERVAL_MS = 100;

/**
 * A hold on the maximum cost of a request about several items. It is opened before any item is looked up. Credits for
 * sent items are reported while other items are still being sent, and unused credits are released at the end.
 */
export class RequestHold {
  /** The credits for everything sent so far. */
  charged = 0;
  /** The credits of each part that has been reported, whether or not the report has been acknowledged. */
  private readonly parts: number[] = [];
  /** Credits that entitlement has acknowledged. */
  reported = 0;
  private isFinished = false;
  private isReporting = false;
  private timer?: NodeJS.Timeout;

  readonly id: string;
  readonly accountId: string;
  readonly amount: number;
  readonly number: number;
  readonly row: string;

  constructor(
    hold: NewHold,
    private readonly reports: HoldReports,
  ) {
    this.id = hold.id;
    this.accountId = hold.accountId;
    this.amount = hold.amount;
    this.number = hold.number;
    this.row = hold.row;
  }

  /**
   * Raises the charge, and soon reports it to entitlement.
   * @param total the credits for everything sent so far; it never decreases.
   */
  charge(total: number): void {
    if (!this.raise(total)) return;
    this.reports.charged(this);
    this.timer ??= setTimeout(() => this.report(), SETTLE_INTERVAL_MS).unref();
  }

  /** Reports the end of the answer. @param total see `charge`. @param row see `HoldReports.finished`. */
  finish(total: number, row?: string): void {
    this.raise(total);
    if (this.charged > 0) this.reports.finished(this, row);
    this.isFinished = true;
    this.report();
  }

  get use(): HoldUse {
    const { id: holdId, accountId, charged, number, isFinished } = this;
    const row = isFinished ? undefined : this.row;
    return { holdId, accountId, charged, parts: [...this.parts], row, number };
  }

  private raise(total: number): boolean {
    const before = this.charged;
    this.charged = Math.max(before, Math.min(this.amount, total));
    return this.charged > before;
  }

  private report(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isReporting) return;
    this.isReporting = true;
    void this.reportAll().finally(() => (this.isReporting = false));
  }

  private async reportAll(): Promise<void> {
    while (this.charged > this.reported) {
      const credits = this.charged - this.reported;
      await this.reports.settle(this, this.parts.push(credits), credits);
      this.reported += credits;
      this.reports.settled(this, credits);
    }
    if (this.isFinished) await this.reports.close(this);
  }
}
