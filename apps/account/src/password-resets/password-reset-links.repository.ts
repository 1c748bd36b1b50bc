import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';

/** Finds whose link it is: the token is all that is known. */
@Injectable()
export class PasswordResetLinksMaintenanceRepository {
  /** Takes the link out: of parallel callers one gets it. */
  async take(
    transaction: Transaction,
    tokenHash: Buffer,
    now: Date,
  ): Promise<{ accountId: string; personId: string } | null> {
    const [row] = await transaction.query<{ accountId: string; personId: string }>(
      `delete from password_resets where token_hash = $1 and expires_at > $2
       returning account_id as "accountId", person_id as "personId"`,
      [tokenHash, now],
    );
    return row ?? null;
  }
}
