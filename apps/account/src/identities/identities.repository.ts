import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import { Identity } from './identity.entity.js';

/** Finds the owner of an identity under the maintenance role, because no account is known yet. */
@Injectable()
export class IdentitiesBySubjectMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  async find(subjectHash: Buffer): Promise<Pick<Identity, 'accountId' | 'personId'> | null> {
    const [row] = await this.database.query<Pick<Identity, 'accountId' | 'personId'>>(
      `select account_id as "accountId", person_id as "personId"
       from identities where subject_hash = $1`,
      [subjectHash],
    );
    return row ?? null;
  }
}

@Injectable()
export class IdentitiesRepository {
  /** @returns false if the identity already belongs to an account. */
  async insert(transaction: Transaction, identity: Identity): Promise<boolean> {
    const count = await transaction.execute(
      `insert into identities (id, account_id, person_id, provider, subject_hash, details,
                               created_at, last_used_at)
       values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (subject_hash) do nothing`,
      [
        identity.id,
        identity.accountId,
        identity.personId,
        identity.provider,
        identity.subjectHash,
        identity.details,
        identity.createdAt,
      ],
    );
    return count === 1;
  }

  async list(transaction: Transaction, accountId: string): Promise<Identity[]> {
    return transaction.manager.find(Identity, { where: { accountId }, order: { id: 'ASC' } });
  }

  /** @returns false if the identity no longer belongs to the account. */
  async noteUsed(
    transaction: Transaction,
    accountId: string,
    subjectHash: Buffer,
    lastUsedAt: Date,
  ): Promise<boolean> {
    const { affected } = await transaction.manager.update(
      Identity,
      { accountId, subjectHash },
      { lastUsedAt },
    );
    return affected === 1;
  }

  async delete(transaction: Transaction, accountId: string, id: string): Promise<boolean> {
    const { affected } = await transaction.manager.delete(Identity, { accountId, id });
    return affected === 1;
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.manager.delete(Identity, { accountId });
  }
}
