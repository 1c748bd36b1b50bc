import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import type { Transaction } from '#libs/database';
import { Session } from './session.entity.js';

/** The limits of sessions that have not expired. */
export interface OpenLimits {
  seenAfter: Date;
  createdAfter: Date;
}

/** Whether a session is open, given `OpenLimits` as $3 and $4. */
const IS_OPEN = '(ended_at is null and last_seen_at > $3 and created_at > $4)';

@Injectable()
export class SessionsRepository {
  async insert(transaction: Transaction, session: Session): Promise<void> {
    await transaction.manager.insert(Session, session);
  }

  async listOpen(
    transaction: Transaction,
    accountId: string,
    limits: OpenLimits,
  ): Promise<Session[]> {
    return transaction.manager
      .createQueryBuilder(Session, 'session')
      .where('session.accountId = :accountId and session.endedAt is null', { accountId })
      .andWhere('session.lastSeenAt > :seenAfter and session.createdAt > :createdAfter', limits)
      .orderBy('session.id', 'DESC')
      .limit(100)
      .getMany();
  }

  async isOpen(transaction: Transaction, accountId: string, sessionId: string): Promise<boolean> {
    const open = { accountId, id: sessionId, endedAt: IsNull() };
    return transaction.manager.existsBy(Session, open);
  }

  /** Ends a session. @returns false if there is no open session with this id. */
  async end(
    transaction: Transaction,
    accountId: string,
    sessionId: string,
    endedAt: Date,
  ): Promise<boolean> {
    const open = { accountId, id: sessionId, endedAt: IsNull() };
    const { affected } = await transaction.manager.update(Session, open, { endedAt });
    return affected === 1;
  }

  /** Ends all sessions. @param but the id of a session that stays open. */
  async endAll(
    transaction: Transaction,
    accountId: string,
    endedAt: Date,
    but?: string,
  ): Promise<void> {
    const open = { accountId, endedAt: IsNull(), ...(but && { id: Not(but) }) };
    await transaction.manager.update(Session, open, { endedAt });
  }

  /** Ends all open sessions except the newest ones. @returns how many were ended. @param newest how many stay open. */
  async endBeyond(
    transaction: Transaction,
    accountId: string,
    { newest, endedAt, ...limits }: { newest: number; endedAt: Date } & OpenLimits,
  ): Promise<number> {
    return transaction.execute(
      `update sessions set ended_at = $5 where account_id = $1 and id in (
         select id from sessions where account_id = $1 and ${IS_OPEN}
         order by id desc offset $2)`,
      [accountId, newest, limits.seenAfter, limits.createdAfter, endedAt],
    );
  }

  /** @returns false if the session has ended. */
  async replaceToken(
    transaction: Transaction,
    accountId: string,
    sessionId: string,
    changes: Pick<Session, 'tokenHash'> & Partial<Pick<Session, 'authenticatedAt'>>,
  ): Promise<boolean> {
    const open = { accountId, id: sessionId, endedAt: IsNull() };
    const { affected } = await transaction.manager.update(Session, open, changes);
    return affected === 1;
  }

  /** Deletes old sessions. Ended sessions are kept for a while, because they identify known networks. */
  async deleteOlder(transaction: Transaction, accountId: string, than: Date): Promise<void> {
    await transaction.query('delete from sessions where account_id = $1 and created_at < $2', [
      accountId,
      than,
    ]);
  }

  /** Deletes all sessions except the open ones and the newest others. @param kept how many are kept in total. */
  async deleteBeyond(
    transaction: Transaction,
    accountId: string,
    { kept, ...limits }: { kept: number } & OpenLimits,
  ): Promise<void> {
    await transaction.query(
      `delete from sessions where account_id = $1 and id in (
         select id from sessions where account_id = $1 order by ${IS_OPEN} desc, id desc offset $2)`,
      [accountId, kept, limits.seenAfter, limits.createdAfter],
    );
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from sessions where account_id = $1', [accountId]);
  }
}
