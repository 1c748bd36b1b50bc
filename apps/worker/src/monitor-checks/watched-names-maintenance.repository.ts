import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { mayBeTold } from '../accounts/may-be-told.js';
import type { NewsReader } from '../monitor-news/monitor-news.js';
import { type CheckKind, EVERY_MS, LEASE_MS, REMINDER_DAYS } from './check-times.js';
import type { KnownState } from './judged-check.js';
import { isPaid } from './paid-checks-maintenance.repository.js';

export interface CheckedState extends KnownState {
  checkedAt: Date;
  dueAt: Date;
}

export interface WatchedName {
  name: string;
  dns: KnownState;
  whois: KnownState;
  /** When each kind of check last got an answer; null before the first answer. */
  checkedAt: Readonly<Record<CheckKind, Date | null>>;
  /** `YYYY-MM-DD`. */
  expiresOn: string | null;
  remindedDays: number | null;
}

interface Claim {
  now: Date;
  leaseUntil: Date;
  limit: number;
  failed: boolean;
}

/**
 * SQL: whether any account watches the name. Paused monitors and those of deleted or suspended accounts do not count.
 * @param madeBy if given, monitors that were created after this time do not count either.
 */
const isWatched = (madeBy?: string) => `exists (select from monitors m where m.domain_name = w.name
  and m.kind = 'domain' and not m.is_paused and not m.is_over_limit and ${mayBeTold('m')}
  ${madeBy === undefined ? '' : `and m.created_at <= ${madeBy}`})`;
const IS_WATCHED = isWatched();

/**
 * SQL: the known state; null if all monitors that watch the name now were created after the last check. That check was
 * made for others, perhaps years ago, and changes since then are no news to the owners of these monitors.
 */
const stateOf = (kind: CheckKind) =>
  `case when not ${IS_WATCHED} or ${isWatched(`w.${kind}_checked_at`)} then w.${kind} end as ${kind}`;

const COLUMNS = `w.name, ${stateOf('dns')}, w.dns_pending, w.dns_rechecks, ${stateOf('whois')}, w.whois_pending,
  w.whois_rechecks, w.dns_checked_at, w.whois_checked_at, to_char(w.expires_on, 'YYYY-MM-DD') as expires_on, w.reminded_days, w.restless`;

/** Stores watched names. All monitors of a name share one row. */
@Injectable()
export class WatchedNamesMaintenanceRepository {
  /**
   * Schedules checks of names: at once if `isAtOnce`, otherwise when their interval is over. An account that starts to
   * watch a name gets a result of its own, even if other accounts watch the name.
   */
  async watch(
    transaction: Transaction,
    names: readonly string[],
    { now, isAtOnce }: { now: Date; isAtOnce: boolean },
  ): Promise<void> {
    const [dns, whois] = ['dns', 'whois'].map(
      (
        kind,
        n,
      ) => `${kind}_due_at = least(w.${kind}_due_at, w.${kind}_checked_at + $${3 + n}::float8 * interval '1 ms',
        -- One that is being checked is not checked twice.
        case when $5 and w.${kind}_due_at > $6 then $2::timestamptz end)`,
    );
    await transaction.query(
      `insert into watched_names as w (name, dns_due_at, whois_due_at)
       select n, $2::timestamptz + case when $5 then 0 else $3::float8 end * interval '1 ms',
         $2::timestamptz + case when $5 then 0 else $4::float8 end * interval '1 ms'
       from unnest($1::text[]) as n order by n
       on conflict (name) do update set ${dns}, ${whois},
         dns_regular_at = case when $5 then null else w.dns_regular_at end`,
      [names, now, EVERY_MS.dns, EVERY_MS.whois, isAtOnce, new Date(now.getTime() + LEASE_MS)],
    );
  }

  /** Locks names in an order that every caller uses, so that no two callers wait for each other. */
  async lockAll(transaction: Transaction, names: readonly string[]): Promise<void> {
    await transaction.query(
      'select from watched_names where name = any($1::text[]) order by name for update',
      [names],
    );
  }

  /**
   * Deletes names without monitors. The rows are locked, so if an account starts to watch such a name in the meantime,
   * the row is created again.
   */
  async forgetUnwatched(transaction: Transaction, names: readonly string[]): Promise<void> {
    await transaction.query(
      `delete from watched_names w where name = any($1::text[])
         and not exists (select from monitors m where m.domain_name = w.name and m.kind = 'domain')`,
      [names],
    );
  }

  /**
   * Leases names whose check is due, so that no other process takes them before `leaseUntil`. Names that no active
   * monitor watches are postponed and omitted, and so are those whose check was brought forward for a monitor that no
   * longer pays for it.
   * @param failed whether to lease the names whose last check failed, or the others.
   * @returns whether more names may be due.
   */
  async claim(
    database: Pick<Database, 'transaction'>,
    kind: CheckKind,
    { now, leaseUntil, limit, failed }: Claim,
  ): Promise<{ names: string[]; hasMore: boolean }> {
    const due = kind === 'dns' ? 'dns_due_at' : 'whois_due_at';
    const unpaid =
      kind === 'dns' ? `coalesce(w.dns_regular_at > $1, false) and not ${isPaid(1)}` : 'false';
    const rows = await database.transaction((transaction) =>
      transaction.query<{ name: string; isTaken: boolean }>(
        `update watched_names w set ${due} = case when q.is_unpaid then w.dns_regular_at
           when q.is_watched then $2::timestamptz else $1 + $4 * interval '1 ms' end
         from (select w.name, ${IS_WATCHED} as is_watched, ${unpaid} as is_unpaid from watched_names w
           where ${due} <= $1 and ${kind}_problem is ${failed ? 'not null' : 'null'}
           order by ${due} limit $3 for update skip locked) q
         where w.name = q.name returning w.name, q.is_watched and not q.is_unpaid as "isTaken"`,
        [now, leaseUntil, limit, EVERY_MS.dns],
      ),
    );
    const names = rows.filter(({ isTaken }) => isTaken).map(({ name }) => name);
    return { names, hasMore: rows.length === limit };
  }

  async lock(transaction: Transaction, name: string): Promise<WatchedName | undefined> {
    const [row] = await transaction.query<WatchedRow>(
      `select ${COLUMNS} from watched_names w where name = $1 for update`,
      [name],
    );
    return row && watchedName(row);
  }

  /** Lists the monitors that get a name's events. */
  async listReaders(transaction: Transaction, name: string): Promise<NewsReader[]> {
    return transaction.query<NewsReader>(
      `select m.id as "monitorId", m.account_id as "accountId", m.kind, m.name, m.sends_mail as "sendsMail"
       from monitors m where m.domain_name = $1 and m.kind = 'domain' and not m.is_paused and not m.is_over_limit
         and ${mayBeTold('m')}
       order by m.id`,
      [name],
    );
  }

  /** @param checked `regularAt` is the time from which a check is due even if no monitor pays for it. */
  async putDns(
    transaction: Transaction,
    name: string,
    checked: CheckedState & { regularAt: Date },
  ): Promise<void> {
    const { state, pending, rechecks, restless, checkedAt, dueAt, regularAt } = checked;
    await transaction.query(
      `update watched_names set dns = $2, dns_pending = $3, dns_rechecks = $4, restless = $5, dns_checked_at = $6,
         dns_due_at = $7, dns_regular_at = $8, dns_problem = null where name = $1`,
      [
        name,
        JSON.stringify(state),
        JSON.stringify(pending),
        rechecks,
        JSON.stringify(restless),
        checkedAt,
        dueAt,
        dueAt < regularAt ? regularAt : null,
      ],
    );
  }

  /** Stores the result of a registration check. If the expiry date has changed, the reminders start again. */
  async putWhois(
    transaction: Transaction,
    name: string,
    checked: CheckedState & { expiresOn: string | null },
  ): Promise<void> {
    const { state, pending, rechecks, restless, checkedAt, dueAt, expiresOn } = checked;
    await transaction.query(
      `update watched_names set whois = $2, whois_pending = $3, whois_rechecks = $4, restless = $5,
         whois_checked_at = $6, whois_due_at = $7, whois_problem = null,
         reminded_days = case when expires_on is distinct from $8::date then null else reminded_days end,
         expires_on = $8::date where name = $1`,
      [
        name,
        JSON.stringify(state),
        JSON.stringify(pending),
        rechecks,
        JSON.stringify(restless),
        checkedAt,
        dueAt,
        expiresOn,
      ],
    );
  }

  /** Changes the time at which a check is due, and stores the problem if the check has failed. */
  async putOff(
    transaction: Transaction,
    kind: CheckKind,
    name: string,
    { dueAt, failed }: { dueAt: Date; failed?: { problem: string; at: Date } },
  ): Promise<void> {
    await transaction.query(
      `update watched_names set ${kind}_due_at = $2, ${kind}_problem = coalesce($3, ${kind}_problem),
         ${kind}_tried_at = coalesce($4, ${kind}_tried_at) where name = $1`,
      [name, dueAt, failed?.problem ?? null, failed?.at ?? null],
    );
  }

  /**
   * Lists watched names for which a reminder is due: they expire within 30 days, and the reminder for the remaining
   * days has not been sent.
   */
  async listExpiring(
    database: Pick<Database, 'query'>,
    { after, now, limit }: { after: string; now: Date; limit: number },
  ): Promise<string[]> {
    const rows = await database.query<{ name: string }>(
      `select w.name from watched_names w,
         lateral (select min(d) as days from unnest($3::integer[]) as d
           where w.expires_on - ($2::timestamptz at time zone 'UTC')::date <= d) reached
       where w.expires_on between ($2::timestamptz at time zone 'UTC')::date
           and ($2::timestamptz at time zone 'UTC')::date + $5::integer
         and (w.reminded_days is null or w.reminded_days > reached.days)
         and w.name > $1 and ${IS_WATCHED} order by w.name limit $4`,
      [after, now, REMINDER_DAYS, limit, Math.max(...REMINDER_DAYS)],
    );
    return rows.map(({ name }) => name);
  }

  async setReminded(transaction: Transaction, name: string, days: number): Promise<void> {
    await transaction.query('update watched_names set reminded_days = $2 where name = $1', [
      name,
      days,
    ]);
  }
}

type WatchedRow = Pick<WatchedName, 'name'> & {
  dns: KnownState['state'];
  dns_pending: KnownState['pending'];
  dns_rechecks: number;
  whois: KnownState['state'];
  whois_pending: KnownState['pending'];
  whois_rechecks: number;
  dns_checked_at: Date | null;
  whois_checked_at: Date | null;
  expires_on: string | null;
  reminded_days: number | null;
  restless: KnownState['restless'];
};

function watchedName(row: WatchedRow): WatchedName {
  const { name, restless } = row;
  return {
    name,
    dns: { state: row.dns, pending: row.dns_pending, rechecks: row.dns_rechecks, restless },
    whois: { state: row.whois, pending: row.whois_pending, rechecks: row.whois_rechecks, restless },
    checkedAt: { dns: row.dns_checked_at, whois: row.whois_checked_at },
    expiresOn: row.expires_on,
    remindedDays: row.reminded_days,
  };
}
