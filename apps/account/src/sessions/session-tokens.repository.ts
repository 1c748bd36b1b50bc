import { Injectable } from '@nestjs/common';
import type { AccountState } from '#libs/contracts';
import { MaintenanceDatabase, type Transaction } from '#libs/database';

export interface FoundSession {
  id: string;
  accountId: string;
  personId: string;
  accountState: AccountState;
  restoreUntil: Date | null;
  suspendedBecause: string | null;
  takenBackAt: Date | null;
  hasPassword: boolean;
  lastSeenAt: Date;
  authenticatedAt: Date;
}

/** Finds and ends sessions by their tokens, and records their use. The account of a token is not known. */
@Injectable()
export class SessionTokensMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  async find(
    tokenHash: Buffer,
    limits: { seenAfter: Date; createdAfter: Date },
  ): Promise<FoundSession | null> {
    const [session] = await this.database.query<FoundSession>(
      `select s.id, s.account_id as "accountId", s.person_id as "personId",
              a.state as "accountState", a.restore_until as "restoreUntil",
              a.suspended_because as "suspendedBecause", a.taken_back_at as "takenBackAt",
              p.password_hash is not null as "hasPassword",
              s.last_seen_at as "lastSeenAt", s.authenticated_at as "authenticatedAt"
       from sessions s join accounts a on a.id = s.account_id
            left join people p on p.id = s.person_id
       where s.token_hash = $1 and s.ended_at is null and a.state <> 'erased'
         and s.last_seen_at > $2 and s.created_at > $3`,
      [tokenHash, limits.seenAfter, limits.createdAfter],
    );
    return session ?? null;
  }

  /** Ends the open session with this token, whichever account it belongs to. */
  async end(transaction: Transaction, tokenHash: Buffer, endedAt: Date): Promise<void> {
    await transaction.query(
      'update sessions set ended_at = $2 where token_hash = $1 and ended_at is null',
      [tokenHash, endedAt],
    );
  }

  async noteSeen(sessionId: string, at: Date): Promise<void> {
    await this.database.query('update sessions set last_seen_at = $2 where id = $1', [
      sessionId,
      at,
    ]);
  }
}
