/** How a hold is told to entitlement; each resolves when entitlement has acknowledged it. */
export interface HoldReports {
  settle(hold: RequestHold, part: string, credits: number): Promise<void>;
  close(hold: RequestHold): Promise<void>;
}

/** What has been sent for longer than this is reported, while more is being sent. */
const SETTLE_INTERVAL_MS = 100;

/**
 * The most that one request about several things may cost, held as a whole before anything is looked up. What was
 * sent of its answer is reported while the rest is still on its way, and what nobody got goes back at the end.
 */
export class RequestHold {
  /** Credits that were left beside it. */
  spendable = 0;
  private charged = 0;
  private reported = 0;
  private parts = 0;
  private isFinished = false;
  private isReporting = false;
  private timer?: NodeJS.Timeout;

  /** @param id that of the request; unique in its account. */
  constructor(
    readonly id: string,
    readonly accountId: string,
    readonly amount: number,
    private readonly reports: HoldReports,
  ) {}

  /** @param total credits for everything that has been sent so far; only rises. */
  charge(total: number): void {
    this.charged = Math.max(this.charged, Math.min(this.amount, total));
    if (this.charged > this.reported) {
      this.timer ??= setTimeout(() => this.report(), SETTLE_INTERVAL_MS).unref();
    }
  }

  /** Nothing more will be sent. @param total as of `charge`. */
  finish(total: number): void {
    this.charge(total);
    this.isFinished = true;
    this.report();
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
      await this.reports.settle(this, String((this.parts += 1)), credits);
      this.reported += credits;
    }
    if (this.isFinished) await this.reports.close(this);
  }
}
