import { Injectable } from '@nestjs/common';
import type { Allowance, OverridableLimit } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock } from '#libs/platform';
import { GrantsService } from '../grants/grants.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { computeAllowance } from './allowance.js';
import { AllowancesRepository } from './allowances.repository.js';

export interface OverrideRequest {
  name: OverridableLimit;
  value: number;
  reason: string;
  until: Date;
}

@Injectable()
export class AllowancesService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly repository: AllowancesRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads an allowance without a lock, in one round trip. The version is read first, so a caller notices a change
   * during the read and asks again.
   */
  async find(accountId: string): Promise<Allowance> {
    return this.database.transaction((transaction) => this.findIn(transaction, accountId));
  }

  /** Like `find`, in the caller's transaction. */
  async findIn(transaction: Transaction, accountId: string): Promise<Allowance> {
    const now = this.clock.now();
    const [state, sources, subscriptions] = await Promise.all([
      this.repository.findState(transaction, accountId),
      this.repository.listSources(transaction, accountId, now),
      this.subscriptions.list(transaction, [accountId]),
    ]);
    return computeAllowance({ accountId, ...state, ...sources, subscriptions }, now);
  }

  /** Overrides a limit until a time. A newer override of the same limit takes precedence. */
  async override(accountId: string, request: OverrideRequest): Promise<void> {
    await this.database.transaction((transaction) =>
      this.grants.change(transaction, accountId, async (book) => {
        const override = { ...request, from: book.now };
        const version = book.changeAllowance();
        await this.repository.insertOverride(transaction, accountId, override, version);
      }),
    );
  }

  /** Ends all overrides of a limit now. @returns false if there was none. */
  async liftOverride(accountId: string, name: OverridableLimit): Promise<boolean> {
    let isLifted = false;
    await this.database.transaction((transaction) =>
      this.grants.change(transaction, accountId, async (book) => {
        const ended = { name, now: book.now };
        isLifted = await this.repository.endOverrides(transaction, accountId, ended);
        if (isLifted) book.changeAllowance();
      }),
    );
    return isLifted;
  }
}
