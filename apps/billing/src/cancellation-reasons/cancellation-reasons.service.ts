import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Clock, newId } from '#libs/platform';
import {
  type CancellationReason,
  CancellationReasonsRepository,
} from './cancellation-reasons.repository.js';

/** Why customers cancel: operators read it in the account's timeline. */
@Injectable()
export class CancellationReasonsService {
  constructor(
    private readonly database: Database,
    private readonly reasons: CancellationReasonsRepository,
    private readonly clock: Clock,
  ) {}

  async note(said: Pick<CancellationReason, 'accountId' | 'subscriptionId' | 'reason'>) {
    const row = { ...said, id: newId(), saidAt: this.clock.now() };
    await this.database.transaction((transaction) => this.reasons.insert(transaction, row));
  }

  /** Erasure: the words may tell of a person. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.reasons.deleteAll(transaction, accountId);
  }
}
