import { Injectable } from '@nestjs/common';
import type { RevocationCause } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import type { KeyEnvironment } from '#libs/contracts';
import { ApiKey } from './key.entity.js';

/** A row as it is written, without the columns that the database derives. */
export type NewKey = Omit<ApiKey, 'isCurrent'>;

@Injectable()
export class KeysRepository {
  async insert(transaction: Transaction, key: NewKey): Promise<void> {
    await transaction.manager.insert(ApiKey, key);
  }

  async find(transaction: Transaction, accountId: string, keyId: string): Promise<ApiKey | null> {
    return transaction.manager.findOneBy(ApiKey, { accountId, id: keyId });
  }

  /** Lists keys, newest first. Ids sort by creation time. */
  async list(
    transaction: Transaction,
    accountId: string,
    page: { after?: readonly string[]; limit: number },
  ): Promise<ApiKey[]> {
    const query = transaction.manager
      .createQueryBuilder(ApiKey, 'key')
      .where('key.accountId = :accountId', { accountId })
      .orderBy('key.id', 'DESC')
      .limit(page.limit);
    if (page.after) query.andWhere('key.id < :after', { after: page.after[0] });
    return query.getMany();
  }

  async hasMadeMore(
    transaction: Transaction,
    accountId: string,
    count: number,
    since: Date,
  ): Promise<boolean> {
    const [key] = await transaction.query<{ isLater: boolean }>(
      `select created_at > $3 as "isLater" from api_keys where account_id = $1
       order by id desc offset $2 limit 1`,
      [accountId, count, since],
    );
    return key?.isLater ?? false;
  }

  async listUnrevoked(transaction: Transaction, accountId: string): Promise<ApiKey[]> {
    return transaction.manager
      .createQueryBuilder(ApiKey, 'key')
      .where('key.accountId = :accountId and key.revokedAt is null', { accountId })
      .orderBy('key.id')
      .getMany();
  }

  /** Lists the ids of keys that are neither revoked nor replaced, the oldest chain of rotations first. */
  async listCurrent(
    transaction: Transaction,
    accountId: string,
    environment: KeyEnvironment,
  ): Promise<string[]> {
    const keys = await transaction.manager.find(ApiKey, {
      select: { id: true },
      where: { accountId, environment, isCurrent: true },
      order: { ranksAs: 'ASC' },
    });
    return keys.map(({ id }) => id);
  }

  async listOverlapping(
    transaction: Transaction,
    accountId: string,
    { successorId, now }: { successorId: string; now: Date },
  ): Promise<ApiKey[]> {
    return transaction.manager
      .createQueryBuilder(ApiKey, 'key')
      .where('key.accountId = :accountId and key.replacedBy = :successorId', {
        accountId,
        successorId,
      })
      .andWhere('key.revokedAt is null and key.expiresAt > :now', { now })
      .getMany();
  }

  async update(
    transaction: Transaction,
    accountId: string,
    keyId: string,
    changes: Partial<ApiKey>,
  ): Promise<void> {
    await transaction.manager.update(ApiKey, { accountId, id: keyId }, changes);
  }

  /**
   * Revokes a key. If the key replaced another key whose overlap still lasts, the replaced key counts again: otherwise,
   * it and another key would share one place in the plan.
   */
  async revoke(
    transaction: Transaction,
    accountId: string,
    keyId: string,
    revocation: { revokedAt: Date; revokedBecause: RevocationCause },
  ): Promise<void> {
    await transaction.manager.update(ApiKey, { accountId, id: keyId }, revocation);
    await transaction.query(
      `update api_keys set replaced_by = null
       where account_id = $1 and replaced_by = $2 and revoked_at is null and expires_at > $3`,
      [accountId, keyId, revocation.revokedAt],
    );
  }

  /**
   * Deletes names and IP addresses, which the owner entered, as part of the account's erasure. The hash stays, so that
   * gateways still recognise the key of an erased account.
   */
  async scrub(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(
      `update api_keys set name = 'erased', allowed_addresses = '{}' where account_id = $1`,
      [accountId],
    );
  }
}
