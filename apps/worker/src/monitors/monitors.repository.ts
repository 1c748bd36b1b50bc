import { Injectable } from '@nestjs/common';
import type { MonitorKind, MonitorSlots } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import type { Monitor, ShownMonitor } from './monitor.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

const COLUMNS = `m.id, m.account_id as "accountId", m.kind, m.name, m.is_paused as "isPaused",
  m.is_over_limit as "isOverLimit", m.sends_mail as "sendsMail", m.rule, m.created_at as "createdAt",
  o.dns_checked_at as "dnsCheckedAt", o.whois_checked_at as "whoisCheckedAt",
  case when w.name is not null then greatest(w.dns_due_at, m.watched_from) end as "dnsDueAt",
  case when w.name is not null then greatest(w.whois_due_at, m.watched_from) end as "whoisDueAt",
  case when w.dns_tried_at >= m.watched_from then w.dns_problem end as "dnsProblem",
  case when w.whois_tried_at >= m.watched_from then w.whois_problem end as "whoisProblem",
  case when o.whois_checked_at is not null then to_char(w.expires_on, 'YYYY-MM-DD') end as "expiresOn",
  case when o.whois_checked_at is not null and w.whois -> 'domain_registered' ->> 0 = 'yes'
    then w.expires_on is not null end as "isExpiryPublished",
  exists (select from paid_checks p where p.account_id = m.account_id and p.is_unpaid) as "isShortOfCredits"`;
/** Other accounts may watch the same name: nothing is shown of checks from before this one did, or while it is paused. */
const FROM = `from monitors m
  left join watched_names w on m.kind = 'domain' and w.name = m.domain_name and not m.is_paused and not m.is_over_limit
  left join lateral (select
      case when w.dns_checked_at >= m.watched_from then w.dns_checked_at end as dns_checked_at,
      case when w.whois_checked_at >= m.watched_from then w.whois_checked_at end as whois_checked_at) o on true`;
/** Since when another active monitor of an account has watched a name. */
const watchedByOther = (accountId: string, name: string, id: string) =>
  `(select min(other.watched_from) from monitors other
    where other.domain_name = ${name} and other.kind = 'domain' and other.account_id = ${accountId}
      and other.id <> ${id} and not other.is_paused and not other.is_over_limit)`;

/** Monitors, by account. */
@Injectable()
export class MonitorsRepository {
  /** Lets the monitors of an account change one at a time, until the transaction ends. */
  async lock(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(
      `select pg_advisory_xact_lock(hashtextextended('monitors ' || $1, 0))`,
      [accountId],
    );
  }

  /** Counts all monitors, and those of a kind that are active. */
  async count(
    runner: Runner,
    accountId: string,
    kind: MonitorKind,
  ): Promise<{ all: number; placed: number }> {
    const [row] = await runner.query<{ all: number; placed: number }>(
      `select count(*)::int as all,
         (count(*) filter (where kind = $2 and not is_paused and not is_over_limit))::int as placed
       from monitors where account_id = $1`,
      [accountId, kind],
    );
    return row;
  }

  /**
   * Counts a domain monitor that an account creates or resumes.
   * @param day `YYYY-MM-DD`.
   * @returns how many it has created on that day, including removed ones.
   */
  async countMade(transaction: Transaction, accountId: string, day: string): Promise<number> {
    const [{ made }] = await transaction.query<{ made: number }>(
      `insert into monitors_made as m (account_id, day, made) values ($1, $2::date, 1)
       on conflict (account_id) do update
       set day = excluded.day, made = case when m.day = excluded.day then m.made + 1 else 1 end
       returning made`,
      [accountId, day],
    );
    return made;
  }

  async insert(transaction: Transaction, monitor: Monitor): Promise<void> {
    const { id, accountId, kind, name, sendsMail, rule, createdAt } = monitor;
    await transaction.query(
      // A name that the account already watches is not checked again for each new monitor of it.
      `insert into monitors (id, account_id, kind, name, sends_mail, rule, domain_name, created_at, interval_minutes,
         watched_from, checked_at, included_at)
       select $1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce(o.since, $8), w.dns_checked_at, w.dns_checked_at
       from (select ${watchedByOther('$2', '$7', '$1')} as since) o
         left join watched_names w on w.name = $7 and w.dns_checked_at >= o.since`,
      [
        id,
        accountId,
        kind,
        name,
        sendsMail,
        JSON.stringify(rule),
        rule.domain_name ?? null,
        createdAt,
        rule.interval_minutes ?? null,
      ],
    );
  }

  async find(runner: Runner, accountId: string, id: string): Promise<ShownMonitor | undefined> {
    const [monitor] = await runner.query<ShownMonitor>(
      `select ${COLUMNS} ${FROM} where m.account_id = $1 and m.id = $2`,
      [accountId, id],
    );
    return monitor;
  }

  /** Newest first. */
  async list(
    runner: Runner,
    accountId: string,
    { limit, after }: { limit: number; after?: string },
  ): Promise<ShownMonitor[]> {
    return runner.query<ShownMonitor>(
      `select ${COLUMNS} ${FROM} where m.account_id = $1 and ($3::uuid is null or m.id < $3)
       order by m.id desc limit $2`,
      [accountId, limit, after ?? null],
    );
  }

  /** Whether an active monitor of the account watches a name. */
  async isWatched(transaction: Transaction, accountId: string, name: string): Promise<boolean> {
    const rows = await transaction.query(
      `select from monitors where domain_name = $2 and kind = 'domain' and account_id = $1
         and not is_paused and not is_over_limit limit 1`,
      [accountId, name],
    );
    return rows.length > 0;
  }

  /** @param now since when it watches, if it was paused until now. */
  async update(transaction: Transaction, monitor: Monitor, now: Date): Promise<void> {
    const { accountId, id, name, isPaused, isOverLimit, sendsMail, rule } = monitor;
    await transaction.query(
      // The checks included until now count for a shorter interval, too.
      `update monitors m set name = $3, is_paused = $4, is_over_limit = $5, sends_mail = $6, rule = $7,
         interval_minutes = $8, revision = nextval('monitor_revisions'),
         watched_from = case when (m.is_paused or m.is_over_limit) and not $4 and not $5
           then coalesce(${watchedByOther('$1', 'm.domain_name', '$2')}, $9) else m.watched_from end,
         checked_at = case when q.is_newer then q.at else m.checked_at end,
         included_at = case when q.is_newer then q.at else m.included_at end
       from (select o.id, w.dns_checked_at as at, o.interval_minutes is null
           and w.dns_checked_at >= o.watched_from
           and (o.checked_at is null or w.dns_checked_at > o.checked_at) as is_newer
         from monitors o left join watched_names w on w.name = o.domain_name
         where o.account_id = $1 and o.id = $2) q
       where m.account_id = $1 and m.id = q.id`,
      [
        accountId,
        id,
        name,
        isPaused,
        isOverLimit,
        sendsMail,
        JSON.stringify(rule),
        rule.interval_minutes ?? null,
        now,
      ],
    );
  }

  async delete(transaction: Transaction, accountId: string, id: string): Promise<void> {
    await transaction.query('delete from monitors where account_id = $1 and id = $2', [
      accountId,
      id,
    ]);
  }

  /** The names that the account's monitors watch. */
  async domainsOf(transaction: Transaction, accountId: string): Promise<string[]> {
    const rows = await transaction.query<{ name: string | null }>(
      'select domain_name as name from monitors where account_id = $1',
      [accountId],
    );
    return namesOf(rows);
  }

  async deleteOfAccount(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from monitors where account_id = $1', [accountId]);
    await transaction.query('delete from monitors_made where account_id = $1', [accountId]);
  }

  /**
   * Activates an account's oldest monitors within its limit and pauses all others.
   * @returns the domains of those that are active again.
   */
  async fit(
    transaction: Transaction,
    accountId: string,
    slots: MonitorSlots,
    now: Date,
  ): Promise<string[]> {
    const { domain, brand, registrant } = slots;
    const rows = await transaction.query<{ name: string | null; isOver: boolean }>(
      `update monitors m set is_over_limit = q.is_over, revision = nextval('monitor_revisions'),
         watched_from = case when q.is_over then m.watched_from
           else coalesce(${watchedByOther('$1', 'm.domain_name', 'm.id')}, $5) end
       from (select id, row_number() over (partition by kind order by id)
           > case kind when 'domain' then $2::integer when 'brand' then $3 else $4 end as is_over
         from monitors where account_id = $1 and not is_paused) q
       where m.account_id = $1 and m.id = q.id and m.is_over_limit <> q.is_over
       returning m.domain_name as name, m.is_over_limit as "isOver"`,
      [accountId, domain, brand, registrant, now],
    );
    return namesOf(rows.filter(({ isOver }) => !isOver));
  }
}

const namesOf = (rows: readonly { name: string | null }[]) => [
  ...new Set(rows.flatMap(({ name }) => name ?? [])),
];
