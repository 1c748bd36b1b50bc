import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { mayBeTold } from '../accounts/may-be-told.js';

/** SQL: whether a monitor may get additional checks. It may not while its account owes for earlier ones. */
const PAYS = `m.interval_minutes is not null and m.kind = 'domain' and not m.is_paused and not m.is_over_limit
  and ${mayBeTold('m')}
  and not exists (select from paid_checks p where p.account_id = m.account_id and p.is_unpaid)`;

/** SQL: whether the interval of a monitor with additional checks is over. @param now the number of the parameter. */
const isDue = (now: number) => `(m.checked_at is null
  or m.checked_at <= $${now}::timestamptz - m.interval_minutes * interval '1 minute')`;

/** SQL: whether any account pays for a check of the name `w.name` now. @param now as for `isDue`. */
export const isPaid = (now: number) =>
  `exists (select from monitors m where m.domain_name = w.name and ${PAYS} and ${isDue(now)})`;

/** A closed batch of checks, and the id under which the batch is charged. */
export interface PaidChecks {
  id: string;
  checks: number;
}

@Injectable()
export class PaidChecksMaintenanceRepository {
  /**
   * Counts an answered check of a name for the monitors whose interval is over. Included checks are free; any other
   * check is charged once per account, however many of the account's monitors use it.
   * @returns the accounts that have to pay.
   */
  async count(
    transaction: Transaction,
    name: string,
    { now, includedEveryMs }: { now: Date; includedEveryMs: number },
  ): Promise<string[]> {
    const rows = await transaction.query<{ accountId: string }>(
      `with due as (
         select m.id, m.account_id,
           m.included_at is null or m.included_at <= $2::timestamptz - $3 * interval '1 ms' as is_included
         from monitors m where m.domain_name = $1 and ${PAYS}
           and ${isDue(2)}
         -- One that is being changed is not waited for: whoever changes it may wait for the name.
         order by m.id for update skip locked),
       counted as (
         update monitors m set checked_at = $2,
           included_at = case when due.is_included then $2 else m.included_at end
         from due where m.id = due.id returning due.account_id, due.is_included)
       select account_id as "accountId" from counted
       group by account_id having not bool_or(is_included) order by account_id`,
      [name, now, includedEveryMs],
    );
    for (const { accountId } of rows) {
      await transaction.query(
        `insert into paid_checks (id, account_id, checks, opened_at) values ($1, $2, 1, $3)
         on conflict (account_id) where is_open do update set checks = paid_checks.checks + 1`,
        [newId(), accountId, now],
      );
    }
    return rows.map(({ accountId }) => accountId);
  }

  /** Returns when the next check of a name is due for an account that pays for it; undefined if there is none. */
  async dueAt(transaction: Transaction, name: string, now: Date): Promise<Date | undefined> {
    const [{ at }] = await transaction.query<{ at: Date | null }>(
      `select min(coalesce(m.checked_at, $2) + m.interval_minutes * interval '1 minute') as at
       from monitors m where m.domain_name = $1 and ${PAYS}`,
      [name, now],
    );
    return at ?? undefined;
  }

  /**
   * Brings checks of names forward to the time that their paid intervals allow. A first check is not brought forward.
   */
  async hasten(transaction: Transaction, names: readonly string[], now: Date): Promise<void> {
    await transaction.query(
      `update watched_names w set dns_due_at = q.at, dns_regular_at = coalesce(w.dns_regular_at, w.dns_due_at)
       from (select m.domain_name as name,
           min(greatest(m.checked_at + m.interval_minutes * interval '1 minute', $2)) as at
         from monitors m where m.domain_name = any($1::text[]) and m.checked_at is not null and ${PAYS} group by 1) q
       where w.name = q.name and q.at < w.dns_due_at`,
      [names, now],
    );
  }

  /**
   * Closes an account's batch of checks if its collection time is over.
   * @returns the batch to charge: one that an earlier attempt has left over, or else the closed
   *   one; undefined if there is none.
   */
  async close(
    transaction: Transaction,
    accountId: string,
    openedBefore: Date,
  ): Promise<PaidChecks | undefined> {
    const [known] = await transaction.query<PaidChecks>(
      'select id, checks from paid_checks where account_id = $1 and not is_open',
      [accountId],
    );
    if (known) return known;
    const [closed] = await transaction.query<PaidChecks>(
      `update paid_checks set is_open = false where account_id = $1 and is_open and opened_at <= $2
       returning id, checks`,
      [accountId, openedBefore],
    );
    return closed;
  }

  async hasAny(runner: Pick<Database, 'query'>, accountId: string): Promise<boolean> {
    const rows = await runner.query('select from paid_checks where account_id = $1 limit 1', [
      accountId,
    ]);
    return rows.length > 0;
  }

  async setUnpaid(transaction: Transaction, id: string): Promise<void> {
    await transaction.query('update paid_checks set is_unpaid = true where id = $1', [id]);
  }

  /** Deletes checks that were charged. @returns whether the account had lacked the credits for them. */
  async delete(transaction: Transaction, id: string): Promise<boolean> {
    const [deleted] = await transaction.query<{ isUnpaid: boolean }>(
      'delete from paid_checks where id = $1 returning is_unpaid as "isUnpaid"',
      [id],
    );
    return deleted?.isUnpaid ?? false;
  }

  /** Lists the names that are checked for the account more often than its plan includes. */
  async namesOf(transaction: Transaction, accountId: string): Promise<string[]> {
    const rows = await transaction.query<{ name: string }>(
      'select distinct domain_name as name from monitors where account_id = $1 and interval_minutes is not null',
      [accountId],
    );
    return rows.map(({ name }) => name);
  }

  async deleteOfAccount(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from paid_checks where account_id = $1', [accountId]);
  }
}
