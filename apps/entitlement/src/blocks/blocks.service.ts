import { Injectable } from '@nestjs/common';
import { BLOCKED_PARTS, type BlockCause } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock } from '#libs/platform';
import { GrantsService } from '../grants/grants.service.js';
import { HoldsService } from '../holds/holds.service.js';
import type { Book } from '../ledger/book.js';
import { BlocksRepository, type NewBlock } from './blocks.repository.js';

@Injectable()
export class BlocksService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantsService,
    private readonly holds: HoldsService,
    private readonly repository: BlocksRepository,
    private readonly clock: Clock,
  ) {}

  /** Applies a deletion: freezes all credits, including those that arrive later, and blocks all rights. */
  async freezeCredits(transaction: Transaction, accountId: string, at: Date): Promise<void> {
    await this.change(transaction, accountId, async (book, version) => {
      if (book.account.state === 'active') book.account.state = 'deleted';
      const block = { accountId, cause: 'deletion', blocks: BLOCKED_PARTS, from: at } as const;
      const reason = 'the owner deleted the account';
      await this.repository.insert(transaction, { ...block, reason }, version);
    });
  }

  /** Undoes only the deletion. Refunds and other blocks remain. */
  async unfreezeCredits(transaction: Transaction, accountId: string, at: Date): Promise<void> {
    await this.change(transaction, accountId, async (book, version) => {
      if (book.account.state === 'deleted') book.account.state = 'active';
      await this.repository.end(transaction, { accountId, cause: 'deletion', to: at }, version);
    });
  }

  /** Starts or ends a suspension, which blocks all rights and moves no credits. Ending it lifts no other block. */
  async followSuspension(
    transaction: Transaction,
    accountId: string,
    { isSuspended, at }: { isSuspended: boolean; at: Date },
  ): Promise<void> {
    const cause = 'suspension';
    await this.change(transaction, accountId, async (_book, version) => {
      await this.repository.end(transaction, { accountId, cause, to: at }, version);
      if (!isSuspended) return;
      const reason = 'an operator suspended the account';
      const block = { accountId, cause, blocks: BLOCKED_PARTS, reason, from: at } as const;
      await this.repository.insert(transaction, block, version);
    });
  }

  /**
   * Applies an erasure: revokes all available credits, and makes open holds end within an hour. Credits that are
   * returned or granted later are revoked at once.
   */
  async revokeCredits(transaction: Transaction, accountId: string): Promise<void> {
    await this.change(transaction, accountId, async (book) => {
      book.account.state = 'erased';
      book.revokeAvailable();
      await this.holds.endAll(transaction, accountId);
    });
  }

  /** Sets an operator's block from now on. */
  async block(block: Omit<NewBlock, 'from'>): Promise<void> {
    const from = this.clock.now();
    await this.database.transaction((transaction) =>
      this.change(transaction, block.accountId, (_book, version) =>
        this.repository.insert(transaction, { ...block, from }, version),
      ),
    );
  }

  /** Ends all blocks with this cause now, if there are any. */
  async lift(accountId: string, cause: BlockCause): Promise<void> {
    const to = this.clock.now();
    await this.database.transaction((transaction) =>
      this.change(transaction, accountId, (_book, version) =>
        this.repository.end(transaction, { accountId, cause, to }, version),
      ),
    );
  }

  private async change(
    transaction: Transaction,
    accountId: string,
    work: (book: Book, allowanceVersion: number) => Promise<void>,
  ): Promise<void> {
    await this.grants.change(transaction, accountId, (book) => work(book, book.changeAllowance()));
  }
}
