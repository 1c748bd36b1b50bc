import { Injectable } from '@nestjs/common';
import type { PaymentReversalUndone, PaymentReversed } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { GrantsService } from '../grants/grants.service.js';
import { PaymentsService } from '../payments/payments.service.js';

/**
 * Handles refunds and disputes. Revokes the credits of each line in proportion to the returned money or time, and
 * restores them if the reversal is undone.
 */
@Injectable()
export class ReversalsService {
  constructor(
    private readonly grants: GrantsService,
    private readonly payments: PaymentsService,
  ) {}

  async reverse(
    transaction: Transaction,
    accountId: string,
    reversal: PaymentReversed,
  ): Promise<void> {
    await this.grants.follow(transaction, accountId, async () => {
      await this.payments.recordReversal(transaction, accountId, reversal);
      return this.reversedLines(transaction, accountId);
    });
  }

  async undo(
    transaction: Transaction,
    accountId: string,
    { reversalId }: PaymentReversalUndone,
  ): Promise<void> {
    await this.grants.follow(transaction, accountId, async ({ now }) => {
      await this.payments.recordUndone(transaction, accountId, reversalId, now);
      return this.reversedLines(transaction, accountId);
    });
  }

  private async reversedLines(transaction: Transaction, accountId: string) {
    return { reversedLines: await this.payments.listReversedLines(transaction, [accountId]) };
  }
}
