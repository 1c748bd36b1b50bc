import { Injectable } from '@nestjs/common';
import type { SetAsideAccount } from '#libs/contracts';
import { Database } from '#libs/database';
import { classify, reasonOf } from '#libs/messaging';
import { Clock, Logger, crashPoint } from '#libs/platform';
import { GrantsService } from '../grants/grants.service.js';
import { DueAccountsRepository } from './due-accounts.repository.js';

const READ_AT_ONCE = 1_000;
/** Accounts per transaction: enough to be fast, few enough that no account is locked for long. */
const BATCH_MAX = 50;
const BATCHES_AT_ONCE = 3;
const SET_ASIDE_SHOWN_MAX = 200;

/**
 * Applies due dates to accounts without requests, in batches. A batch that fails is halved until the failing account is
 * found. That account is set aside with an alert, each time for longer, and does not delay the others.
 */
@Injectable()
export class DueAccountsService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantsService,
    private readonly repository: DueAccountsRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Repeats until no account is due, except those that are set aside. @throws while the database is unavailable. */
  async advanceAll(): Promise<void> {
    const now = this.clock.now();
    for (;;) {
      const ids = await this.repository.list(now, READ_AT_ONCE);
      const batches: string[][] = [];
      for (let first = 0; first < ids.length; first += BATCH_MAX) {
        batches.push(ids.slice(first, first + BATCH_MAX));
      }
      const next = batches.values();
      const advanceNext = async () => {
        for (const batch of next) await this.advance(batch);
      };
      await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, advanceNext));
      if (ids.length < READ_AT_ONCE) break;
    }
    await this.repository.deleteSolved(now);
  }

  /**
   * Lists accounts whose due dates cannot be applied, at most `SET_ASIDE_SHOWN_MAX`, starting with
   * the one that was set aside first.
   */
  async listSetAside(): Promise<SetAsideAccount[]> {
    return this.repository.listSetAside(SET_ASIDE_SHOWN_MAX);
  }

  private async advance(accountIds: string[]): Promise<void> {
    try {
      await this.advanceTogether(accountIds);
    } catch (error) {
      if (classify(error) === 'pause') throw error;
      if (accountIds.length === 1) return this.setAside(accountIds[0], error);
      const middle = Math.ceil(accountIds.length / 2);
      await this.advance(accountIds.slice(0, middle));
      await this.advance(accountIds.slice(middle));
    }
  }

  private async advanceTogether(accountIds: string[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.grants.advance(transaction, accountIds);
      await this.repository.deleteSetAside(transaction, accountIds);
      crashPoint('expiry.before-commit');
    });
  }

  private async setAside(accountId: string, error: unknown): Promise<void> {
    const reason = reasonOf(error);
    await this.repository.setAside(accountId, reason);
    const text = 'due dates cannot be applied to an account; it is set aside';
    this.logger.error(text, { accountId, reason });
  }
}
