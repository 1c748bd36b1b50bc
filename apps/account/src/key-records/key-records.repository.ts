import { Injectable } from '@nestjs/common';
import type { AccountState, KeyEnvironment, Scope } from '#libs/contracts';
import { MaintenanceDatabase, type Transaction } from '#libs/database';

export interface KeyRow {
  keyId: string;
  accountId: string;
  accountState: AccountState;
  restoreUntil: Date | null;
  isSuspended: boolean;
  isRevoked: boolean;
  environment: KeyEnvironment;
  scopes: Scope[];
  allowedAddresses: string[];
  dailyCreditCap: number | null;
  ranksAs: string;
  /** The ids of the keys in the chain of rotations; null if the key has no cap. */
  lineKeyIds: string[] | null;
  expiresAt: Date | null;
  rank: number;
}

/** Reads keys of all accounts under the maintenance role, because a hash does not reveal whose key it is. */
@Injectable()
export class KeyRecordMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /**
   * Finds a key by its hash; returns null for an unknown hash. A known and an unknown hash take the
   * same single statement, with a unique index (S4, S12). A key in its overlap has the rank of its successor:
   * otherwise, rotating a paused key would make it work.
   * @param usedSince keys revoked before this time are not in `lineKeyIds`.
   */
  async find(hash: Buffer, { usedSince }: { usedSince: Date }): Promise<KeyRow | null> {
    const [row] = await this.database.query<KeyRow>(
      `select k.id as "keyId", k.account_id as "accountId", a.state as "accountState",
              a.restore_until as "restoreUntil",
              a.suspended_at is not null as "isSuspended", k.revoked_at is not null as "isRevoked",
              k.environment, k.scopes, k.allowed_addresses as "allowedAddresses",
              k.daily_credit_cap as "dailyCreditCap", k.expires_at as "expiresAt",
              case when k.environment = 'live' and k.revoked_at is null then
                (select count(*) from api_keys o
                 where o.account_id = k.account_id and o.environment = 'live' and o.is_current
                   and o.ranks_as <= k.ranks_as)
              else 0 end::int as rank,
              k.ranks_as as "ranksAs",
              case when k.daily_credit_cap is not null then
                (select array_agg(o.id) from api_keys o
                 where o.account_id = k.account_id and o.ranks_as = k.ranks_as
                   and (o.revoked_at is null or o.revoked_at >= $2))
              end as "lineKeyIds"
       from api_keys k join accounts a on a.id = k.account_id
       where k.key_hash = $1`,
      [hash, usedSince],
    );
    return row ?? null;
  }

  async listByEnding(
    lastFour: string,
    limit: number,
  ): Promise<{ keyId: string; accountId: string; name: string; isRevoked: boolean }[]> {
    return this.database.query(
      `select id as "keyId", account_id as "accountId", name, revoked_at is not null as "isRevoked"
       from api_keys where last_four = $1 order by id desc limit $2`,
      [lastFour, limit],
    );
  }

  /**
   * Records the use of all given keys with one statement. Keys whose last recorded use is after `before` stay
   * unchanged.
   */
  async noteUsed(keyIds: string[], at: Date, before: Date): Promise<void> {
    await this.database.query(
      `update api_keys set last_used_at = $2
       where id = any($1::uuid[]) and (last_used_at is null or last_used_at <= $3)`,
      [keyIds, at, before],
    );
  }

  async listExpired(now: Date, limit: number): Promise<{ id: string; accountId: string }[]> {
    return this.database.query(
      `select id, account_id as "accountId" from api_keys
       where revoked_at is null and expires_at <= $1 order by expires_at limit $2`,
      [now, limit],
    );
  }

  /**
   * Retires an expired key. If the key replaced another key whose overlap still lasts, the replaced key counts again,
   * as after a revocation.
   * @returns false if the key was revoked or its expiry was extended in the meantime.
   */
  async expire(
    transaction: Transaction,
    { id, accountId }: { id: string; accountId: string },
    now: Date,
  ): Promise<boolean> {
    const count = await transaction.execute(
      `update api_keys set revoked_at = expires_at, revoked_because = 'expiry'
       where id = $1 and revoked_at is null and expires_at <= $2`,
      [id, now],
    );
    if (count === 0) return false;
    await transaction.query(
      `update api_keys set replaced_by = null
       where account_id = $1 and replaced_by = $2 and revoked_at is null and expires_at > $3`,
      [accountId, id, now],
    );
    return true;
  }

  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }
}
