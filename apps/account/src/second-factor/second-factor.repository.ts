import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { SecondFactor } from './second-factor.entity.js';

@Injectable()
export class SecondFactorRepository {
  async find(
    transaction: Transaction,
    accountId: string,
    personId: string,
  ): Promise<SecondFactor | null> {
    return transaction.manager.findOneBy(SecondFactor, { accountId, personId });
  }

  /** Adds a second factor, or replaces one that was never confirmed. */
  async put(
    transaction: Transaction,
    accountId: string,
    factor: Omit<SecondFactor, 'accountId'>,
  ): Promise<void> {
    await transaction.manager.upsert(SecondFactor, { ...factor, accountId }, ['personId']);
  }

  /** Marks the step of a code as used: only one of several parallel callers with the same code gets true. */
  async takeStep(
    transaction: Transaction,
    accountId: string,
    personId: string,
    step: number,
  ): Promise<boolean> {
    const count = await transaction.execute(
      `update second_factors set last_step = $3
       where account_id = $1 and person_id = $2 and last_step < $3`,
      [accountId, personId, step],
    );
    return count === 1;
  }

  async confirm(
    transaction: Transaction,
    accountId: string,
    personId: string,
    confirmedAt: Date,
  ): Promise<void> {
    await transaction.manager.update(SecondFactor, { accountId, personId }, { confirmedAt });
  }

  async insertCodes(
    transaction: Transaction,
    accountId: string,
    personId: string,
    { hashes, createdAt }: { hashes: Buffer[]; createdAt: Date },
  ): Promise<void> {
    await transaction.query(
      `insert into recovery_codes (account_id, person_id, code_hash, created_at)
       select $1, $2, hash, $4 from unnest($3::bytea[]) hash`,
      [accountId, personId, hashes, createdAt],
    );
  }

  /** Removes a recovery code. @returns false if there is no such code. */
  async takeCode(
    transaction: Transaction,
    accountId: string,
    personId: string,
    hash: Buffer,
  ): Promise<boolean> {
    const count = await transaction.execute(
      'delete from recovery_codes where account_id = $1 and person_id = $2 and code_hash = $3',
      [accountId, personId, hash],
    );
    return count === 1;
  }

  async countCodes(transaction: Transaction, accountId: string, personId: string): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      'select count(*)::int as count from recovery_codes where account_id = $1 and person_id = $2',
      [accountId, personId],
    );
    return count;
  }

  async deleteCodes(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from recovery_codes where account_id = $1', [accountId]);
  }

  /** @returns false if there was none, or only one that was never confirmed. */
  async delete(transaction: Transaction, accountId: string): Promise<boolean> {
    await this.deleteCodes(transaction, accountId);
    const deleted = await transaction.query<{ wasOn: boolean }>(
      `delete from second_factors where account_id = $1
       returning confirmed_at is not null as "wasOn"`,
      [accountId],
    );
    return deleted.some(({ wasOn }) => wasOn);
  }
}
