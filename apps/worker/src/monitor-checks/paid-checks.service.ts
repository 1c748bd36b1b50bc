import { Injectable } from '@nestjs/common';
import { CREDITS_A_CHECK, type WorkOperation } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, MINUTE_MS, crashPoint } from '#libs/platform';
import { ServiceClients } from '../service-clients.js';
import { EVERY_MS } from './check-times.js';
import { PaidChecksQueue } from './paid-checks-queue.js';
import { PaidChecksMaintenanceRepository } from './paid-checks-maintenance.repository.js';

/** The collection time: an account's checks within it are charged together. */
const COLLECTED_MS = MINUTE_MS;
/** How long to wait before an account's checks are charged again. */
export const COLLECTED_SECONDS = 60;
/** How long to wait for credits that are held elsewhere. */
const ELSEWHERE_SECONDS = 5;
/** How long to wait before an account without credits is tried again. */
const UNPAID_SECONDS = 900;
const OPERATION: WorkOperation = 'monitors.checks';

/**
 * Counts and charges checks that the plan does not include. They are counted in the transaction that stores a check's
 * result. Each charge has its own id, so it is made exactly once even if a process dies. An account without enough
 * credits gets no further such checks until it has paid.
 */
@Injectable()
export class PaidChecksService {
  constructor(
    private readonly database: Database,
    private readonly rows: PaidChecksMaintenanceRepository,
    private readonly queue: PaidChecksQueue,
    private readonly clients: ServiceClients,
    private readonly clock: Clock,
  ) {}

  /** Counts an answered DNS check of a name. @returns when the next check is due: `regularly` or earlier. */
  async count(transaction: Transaction, name: string, regularly: Date): Promise<Date> {
    const now = this.clock.now();
    const accounts = await this.rows.count(transaction, name, {
      now,
      includedEveryMs: EVERY_MS.dns,
    });
    for (const accountId of accounts) {
      await this.queue.want(transaction, { name: accountId, payload: {}, accountId });
    }
    const dueAt = await this.rows.dueAt(transaction, name, now);
    return dueAt !== undefined && dueAt < regularly ? dueAt : regularly;
  }

  async hasten(transaction: Transaction, names: readonly string[]): Promise<void> {
    await this.rows.hasten(transaction, names, this.clock.now());
  }

  /**
   * Charges an account's checks. A repeat charges nothing twice, because entitlement recognises the id.
   * @returns the seconds after which to call this again; undefined if nothing is left to charge.
   */
  async charge(accountId: string): Promise<number | undefined> {
    const openedBefore = new Date(this.clock.now().getTime() - COLLECTED_MS);
    const due = await this.database.transaction((transaction) =>
      this.rows.close(transaction, accountId, openedBefore),
    );
    if (due === undefined) {
      return (await this.rows.hasAny(this.database, accountId)) ? COLLECTED_SECONDS : undefined;
    }
    const { id: holdId } = due;
    const amount = due.checks * CREDITS_A_CHECK;
    const { entitlement } = this.clients;
    const { outcome } = await entitlement.hold({ holdId, accountId, amount, operation: OPERATION });
    if (outcome === 'elsewhere') return ELSEWHERE_SECONDS;
    if (outcome === 'insufficient') {
      await this.database.transaction((transaction) => this.rows.setUnpaid(transaction, holdId));
      return UNPAID_SECONDS;
    }
    // If the hold is already closed, a process charged it and then died.
    if (outcome === 'held') {
      crashPoint('charge.after-hold');
      await entitlement.settleHold(accountId, holdId, 'checks', amount);
      crashPoint('charge.after-settle');
      await entitlement.closeHold(accountId, holdId);
      crashPoint('charge.after-close');
    }
    await this.database.transaction(async (transaction) => {
      const wasUnpaid = await this.rows.delete(transaction, holdId);
      if (!wasUnpaid) return;
      await this.hasten(transaction, await this.rows.namesOf(transaction, accountId));
    });
    return COLLECTED_SECONDS;
  }

  async erase(transaction: Transaction, accountId: string): Promise<void> {
    await this.rows.deleteOfAccount(transaction, accountId);
    await this.queue.forget(transaction, accountId);
  }
}
