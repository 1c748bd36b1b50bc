import { Injectable } from '@nestjs/common';
import { IdempotencyKeyReused, type Transaction } from '#libs/database';

export interface Adjustment {
  id: string;
  amount: number;
  reason: string;
  expiresAt?: Date;
}

export interface Revocation {
  id: string;
  amount: number;
  reason: string;
}

@Injectable()
export class GrantsRepository {
  /** @returns false if the claim was used before, or the account has used another claim. */
  async insertTrialClaim(
    transaction: Transaction,
    claim: string,
    accountId: string,
    now: Date,
  ): Promise<boolean> {
    const inserted = await transaction.query(
      `insert into trial_claims (claim, account_id, claimed_at) values ($1, $2, $3)
       on conflict do nothing returning claim`,
      [claim, accountId, now],
    );
    return inserted.length > 0;
  }

  /**
   * @returns false if this adjustment was made before.
   * @throws IdempotencyKeyReused if the adjustment's id was used for another account.
   */
  async insertAdjustment(
    transaction: Transaction,
    accountId: string,
    adjustment: Adjustment,
    now: Date,
  ): Promise<boolean> {
    const { id, amount, reason, expiresAt } = adjustment;
    const inserted = await transaction.query(
      `insert into operator_adjustments (id, account_id, amount, reason, expires_at, made_at)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`,
      [id, accountId, amount, reason, expiresAt ?? null, now],
    );
    if (inserted.length > 0) return true;
    const own = await transaction.query(
      'select from operator_adjustments where id = $1 and account_id = $2',
      [id, accountId],
    );
    if (own.length === 0) throw new IdempotencyKeyReused();
    return false;
  }

  /**
   * @returns how many credits the revocation took; undefined if there is none with this id.
   * @throws IdempotencyKeyReused if the id was used for another account.
   */
  async findRevoked(
    transaction: Transaction,
    accountId: string,
    id: string,
  ): Promise<number | undefined> {
    const [row] = await transaction.query<{ revoked: string; isOwn: boolean }>(
      'select revoked, account_id = $2 as "isOwn" from operator_revocations where id = $1',
      [id, accountId],
    );
    if (row && !row.isOwn) throw new IdempotencyKeyReused();
    return row && Number(row.revoked);
  }

  async insertRevocation(
    transaction: Transaction,
    made: Revocation & { accountId: string; revoked: number; madeAt: Date },
  ): Promise<void> {
    const { id, accountId, amount, revoked, reason, madeAt } = made;
    await transaction.query(
      `insert into operator_revocations (id, account_id, amount, revoked, reason, made_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [id, accountId, amount, revoked, reason, madeAt],
    );
  }
}
