import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import {
  CallbackOwnersMaintenanceRepository,
  type ProcessorObject,
} from './callback-owners.repository.js';

/** Whose callbacks are, once what they are about was taken over. */
@Injectable()
export class CallbackOwnersService {
  constructor(private readonly owners: CallbackOwnersMaintenanceRepository) {}

  /** Says of the callbacks about an object whose it is. */
  async set(transaction: Transaction, object: ProcessorObject, accountId: string): Promise<void> {
    await this.owners.set(transaction, object, accountId);
  }
}
