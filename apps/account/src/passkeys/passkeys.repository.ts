import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import { Passkey } from './passkey.entity.js';

export type FoundPasskey = Pick<Passkey, 'id' | 'accountId' | 'personId' | 'publicKey'> & {
  counter: number;
};

/** Finds the owner of a passkey under the maintenance role, because no account is known yet. */
@Injectable()
export class PasskeysByCredentialMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  async find(credentialId: Buffer): Promise<FoundPasskey | null> {
    const [row] = await this.database.query<FoundPasskey>(
      `select id, account_id as "accountId", person_id as "personId", public_key as "publicKey",
              counter::float8 as counter
       from passkeys where credential_id = $1`,
      [credentialId],
    );
    return row ?? null;
  }
}

@Injectable()
export class PasskeysRepository {
  /** @returns false if a passkey with this credential id is already stored, for any account. */
  async insert(transaction: Transaction, passkey: Passkey): Promise<boolean> {
    const count = await transaction.execute(
      `insert into passkeys (id, account_id, person_id, credential_id, public_key, counter, name,
                             created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing`,
      [
        passkey.id,
        passkey.accountId,
        passkey.personId,
        passkey.credentialId,
        passkey.publicKey,
        passkey.counter,
        passkey.name,
        passkey.createdAt,
      ],
    );
    return count === 1;
  }

  async list(transaction: Transaction, accountId: string): Promise<Passkey[]> {
    return transaction.manager.find(Passkey, { where: { accountId }, order: { id: 'ASC' } });
  }

  async find(transaction: Transaction, accountId: string, id: string): Promise<Passkey | null> {
    return transaction.manager.findOneBy(Passkey, { accountId, id });
  }

  /** @param name encrypted. */
  async rename(transaction: Transaction, { accountId, id, name }: Passkey): Promise<void> {
    await transaction.manager.update(Passkey, { accountId, id }, { name });
  }

  /**
   * @returns false if the passkey was removed in the meantime, or if the counter has not increased.
   *   A counter that stays 0 is accepted, because some authenticators do not count.
   */
  async noteUsed(
    transaction: Transaction,
    accountId: string,
    { id, counter, lastUsedAt }: { id: string; counter: number; lastUsedAt: Date },
  ): Promise<boolean> {
    const count = await transaction.execute(
      `update passkeys set counter = $3, last_used_at = $4
       where account_id = $1 and id = $2 and (counter < $3 or counter = 0 and $3 = 0)`,
      [accountId, id, counter, lastUsedAt],
    );
    return count === 1;
  }

  async delete(transaction: Transaction, accountId: string, id: string): Promise<boolean> {
    const { affected } = await transaction.manager.delete(Passkey, { accountId, id });
    return affected === 1;
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<number> {
    return transaction.execute('delete from passkeys where account_id = $1', [accountId]);
  }
}
