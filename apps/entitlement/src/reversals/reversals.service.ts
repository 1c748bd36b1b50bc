import { Injectable } from '@nestjs/common';
import type { PaymentReversalUndone, PaymentReversed } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Clock } from '#libs/platform';
import { advance, followReversals } from '../grants/account-credits.js';
import { GrantsService } from '../grants/grants.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { ReversalsRepository } from './reversals.repository.js';

/** Refunds and disputes: what was paid back is taken back, line by line, and returned if it failed. */
@Injectable()
export class ReversalsService {
  constructor(
    private readonly ledger: LedgerService,
    private readonly grants: GrantsService,
    private readonly repository: ReversalsRepository,
    private readonly clock: Clock,
  ) {}

  async reverse(
    transaction: Transaction,
    accountId: string,
    reversal: PaymentReversed,
  ): Promise<void> {
    await this.follow(transaction, accountId, () =>
      this.repository.putReversal(transaction, accountId, reversal),
    );
  }

  async undo(
    transaction: Transaction,
    accountId: string,
    { reversalId }: PaymentReversalUndone,
  ): Promise<void> {
    await this.follow(transaction, accountId, () =>
      this.repository.insertUndone(transaction, accountId, reversalId, this.clock.now()),
    );
  }

  private async follow(
    transaction: Transaction,
    accountId: string,
    store: () => Promise<void>,
  ): Promise<void> {
    const [account] = await this.ledger.lock(transaction, [accountId]);
    // Time first: what had to be issued before the reversal is issued without it.
    const { book } = await this.grants.openWhole(transaction, account);
    await store();
    const sources = await this.grants.sourcesOf(transaction, accountId);
    followReversals(book, sources.reversedLines);
    advance(book, sources);
    await this.ledger.save(transaction, [book]);
  }
}
