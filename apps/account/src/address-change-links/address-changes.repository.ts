import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { AddressChange } from './address-change.entity.js';

@Injectable()
export class AddressChangesRepository {
  async insert(transaction: Transaction, change: AddressChange): Promise<void> {
    await transaction.manager.insert(AddressChange, change);
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.manager.delete(AddressChange, { accountId });
  }
}

@Injectable()
export class AddressChangeLinksMaintenanceRepository {
  async accountOf(
    transaction: Transaction,
    tokenHash: Buffer,
    now: Date,
  ): Promise<string | undefined> {
    const [row] = await transaction.query<{ accountId: string }>(
      `select account_id as "accountId" from address_changes
       where token_hash = $1 and expires_at > $2`,
      [tokenHash, now],
    );
    return row?.accountId;
  }

  /**
   * Removes and returns a valid link; null if there is none. Only one of several parallel callers
   * gets it.
   */
  async take(
    transaction: Transaction,
    tokenHash: Buffer,
    now: Date,
  ): Promise<Pick<AddressChange, 'accountId' | 'personId' | 'address'> | null> {
    const [row] = await transaction.query<AddressChange>(
      `delete from address_changes where token_hash = $1 and expires_at > $2
       returning account_id as "accountId", person_id as "personId", address`,
      [tokenHash, now],
    );
    return row ?? null;
  }
}
