import type { Transaction } from '#libs/database';
import { WorkLost } from './work-outcome.js';
import type { ClaimedWork, WorkRepository } from './work.repository.js';

export class Work<T extends object = object> {
  readonly id: string;
  readonly name: string;
  readonly payload: T;
  /** The account; undefined if the work does not belong to an account. */
  readonly accountId: string | undefined;
  readonly group: string | undefined;
  /** The number of attempts so far, including the current one; postponements do not count. */
  readonly tries: number;
  readonly cost: number;

  constructor(
    private readonly claimed: ClaimedWork<T>,
    private readonly rows: WorkRepository,
    /**
     * Aborted when the work is cancelled, lost or out of time, and when the process ends; the reason is a
     * `WorkCancelled`, `WorkLost`, `WorkTimedOut` or `WorkStopped`.
     */
    readonly signal: AbortSignal,
  ) {
    const { id, name, payload, accountId, group, tries, cost } = claimed;
    Object.assign(this, { id, name, payload, accountId, group, tries, cost });
  }

  /**
   * Ends the work in the transaction of its effect: either both happen once, or neither happens. Work that was
   * requested again meanwhile is repeated. Without this call, the work ends when its handler resolves.
   * @throws WorkLost if another process now has the work, or if it was removed; the effect must then not happen here.
   */
  async finish(transaction: Transaction): Promise<void> {
    if (!(await this.rows.finish(transaction, this.claimed))) throw new WorkLost(this.name);
  }
}
