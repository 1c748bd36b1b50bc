import { Injectable } from '@nestjs/common';
import { LessThanOrEqual, MoreThan } from 'typeorm';
import type { Transaction } from '#libs/database';
import { SignUp } from './sign-up.entity.js';

/** Holds sign-ups, which are found by the token in their e-mail, because they do not belong to an account yet. */
@Injectable()
export class SignUpsMaintenanceRepository {
  async insert(transaction: Transaction, signUp: SignUp): Promise<void> {
    await transaction.manager.insert(SignUp, signUp);
  }

  async find(transaction: Transaction, tokenHash: Buffer, now: Date): Promise<SignUp | null> {
    return transaction.manager.findOneBy(SignUp, { tokenHash, expiresAt: MoreThan(now) });
  }

  /**
   * Removes and returns a sign-up that has not expired; null if there is none. Only one of several
   * parallel callers gets it.
   */
  async take(transaction: Transaction, tokenHash: Buffer, now: Date): Promise<SignUp | null> {
    const [row] = await transaction.query<SignUp>(
      `delete from sign_ups where token_hash = $1 and expires_at > $2
       returning id, token_hash as "tokenHash", address_hash as "addressHash", details,
                 password_hash as "passwordHash", created_at as "createdAt",
                 expires_at as "expiresAt"`,
      [tokenHash, now],
    );
    return row ?? null;
  }

  async listExpired(transaction: Transaction, now: Date, limit: number): Promise<SignUp[]> {
    return transaction.manager.find(SignUp, {
      where: { expiresAt: LessThanOrEqual(now) },
      order: { expiresAt: 'ASC' },
      take: limit,
    });
  }

  /** @returns false if the sign-up was confirmed in the meantime. */
  async delete(transaction: Transaction, id: string): Promise<boolean> {
    const { affected } = await transaction.manager.delete(SignUp, { id });
    return affected === 1;
  }
}
