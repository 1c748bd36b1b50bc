import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Clock } from '#libs/platform';
import { InvoiceEncryptionService } from '../invoice-encryption/invoice-encryption.service.js';
import { CancellationReasonsRepository } from './cancellation-reasons.repository.js';

/**
 * Stores the reasons for cancellations, which operators read in the account's timeline. The reasons are encrypted,
 * because they may contain personal data.
 */
@Injectable()
export class CancellationReasonsService {
  constructor(
    private readonly database: Database,
    private readonly reasons: CancellationReasonsRepository,
    private readonly data: InvoiceEncryptionService,
    private readonly clock: Clock,
  ) {}

  /** Stores a reason. A later reason for the same subscription replaces an earlier one. */
  async note(said: { accountId: string; subscriptionId: string; reason: string }): Promise<void> {
    const { accountId, subscriptionId } = said;
    const text = Buffer.from(JSON.stringify(said.reason));
    await this.database.transaction(async (transaction) => {
      const { year, encrypted } = await this.data.encryptNow(transaction, accountId, text);
      const saidAt = this.clock.now();
      await this.reasons.put(transaction, {
        accountId,
        subscriptionId,
        year,
        reason: encrypted,
        saidAt,
      });
    });
  }

  /** Returns the reasons by subscription id, except those whose key has been destroyed. */
  async list(accountId: string): Promise<Map<string, string>> {
    return this.database.transaction(async (transaction) => {
      const said = new Map<string, string>();
      for (const { subscriptionId, year, reason } of await this.reasons.list(
        transaction,
        accountId,
      )) {
        const text = await this.data.decrypt(transaction, { accountId, year }, reason);
        if (text) said.set(subscriptionId, JSON.parse(text.toString('utf8')) as string);
      }
      return said;
    });
  }

  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.reasons.deleteAll(transaction, accountId);
  }
}
