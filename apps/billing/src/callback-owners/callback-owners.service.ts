import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import {
  CallbackOwnersMaintenanceRepository,
  type ProcessorObject,
} from './callback-owners.repository.js';

/** Assigns callbacks to accounts, once the object that the callback names has been stored. */
@Injectable()
export class CallbackOwnersService {
  constructor(private readonly owners: CallbackOwnersMaintenanceRepository) {}

  async set(transaction: Transaction, object: ProcessorObject, accountId: string): Promise<void> {
    await this.owners.set(transaction, object, accountId);
  }
}
