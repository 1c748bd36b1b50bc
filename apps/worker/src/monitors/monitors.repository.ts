import { Injectable } from '@nestjs/common';
import type { MonitorKind, MonitorSlots } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import type { Monitor, ShownMonitor } from './monitor.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

const isActive = (monitor: string) => `not ${monitor}.is_paused and not ${monitor}.is_over_limit`;
/**
 * SQL: a value that a check of a watched name found at `at`, if the monitor was active then. The check may have been
 * made for other accounts.
 */
const ifOwn = (at: string, value: string) => `case when ${at} >= m.watched_from then ${value} end`;
const HAS_REGISTRATION = `w.whois -> 'domain_registered' ->> 0 = 'yes'`;
/** SQL: monitors with the results of their names' checks. A monitor that is paused or over the limit has none. */
const SHOWN = `
  select m.id, m.account_id as "accountId", m.kind, m.name, m.is_paused as "isPaused", m.is_over_limit as "isOverLimit",
    m.sends_mail as "sendsMail", m.rule, m.created_at as "createdAt", checks.*,
    exists (select from paid_checks p where p.account_id = m.account_id and p.is_unpaid) as "isShortOfCredits"
  from monitors m left join lateral (
    select greatest(w.dns_due_at, m.watched_from) as "dnsDueAt",
      greatest(w.whois_due_at, m.watched_from) as "whoisDueAt",
      ${ifOwn('w.dns_checked_at', 'w.dns_checked_at')} as "dnsCheckedAt",
      ${ifOwn('w.whois_checked_at', 'w.whois_checked_at')} as "whoisCheckedAt",
      ${ifOwn('w.dns_tried_at', 'w.dns_problem')} as "dnsProblem",
      ${ifOwn('w.whois_tried_at', 'w.whois_problem')} as "whoisProblem",
      ${ifOwn('w.whois_checked_at', `to_char(w.expires_on, 'YYYY-MM-DD')`)} as "expiresOn",
      ${ifOwn('w.whois_checked_at', `case when ${HAS_REGISTRATION} then w.expires_on is not null end`)}
        as "isExpiryPublished"
    from watched_names w where m.kind = 'domain' and w.name = m.domain_name and ${isActive('m')}
  ) checks on true`;
const watchedByOther = (accountId: string, name: string, id: string) =>
  `(select min(other.watched_from) from monitors other
    where other.account_id = ${accountId} and other.kind = 'domain' and other.domain_name = ${name}
      and other.id <> ${id} and ${isActive('other')})`;

@Injectable()
export class MonitorsRepository {
  /** Makes other changes to the account's monitors wait until the transaction ends. */
  async lock(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(
      `select pg_advisory_xact_lock(hashtextextended('monitors ' || $1, 0))`,
      [accountId],
    );
  }

  async count(
    runner: Runner,
    accountId: string,
    kind: MonitorKind,
  ): Promise<{ all: number; placed: number }> {
    const [row] = await runner.query<{ all: number; placed: number }>(
      `select count(*)::int as all,
         (count(*) filter (where kind = $2 and ${isActive('m')}))::int as placed
       from monitors m where account_id = $1`,
      [accountId, kind],
    );
    return row;
  }

  /**
   * Counts a domain monitor that an account creates or resumes.
   * @param day `YYYY-MM-DD`.
   * @returns how many monitors the account has created or resumed on that day, including removed ones.
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
      // A name that the account already watches is not checked again for a new monitor.
      `insert into monitors (id, account_id, kind, name, sends_mail, rule, domain_name, created_at, interval_minutes,
         watched_from, checked_at, included_at)
       select $1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce(watched.since, $8), w.dns_checked_at, w.dns_checked_at
       from (select ${watchedByOther('$2', '$7', '$1')} as since) watched
         left join watched_names w on w.name = $7 and w.dns_checked_at >= watched.since`,
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
      `${SHOWN} where m.account_id = $1 and m.id = $2`,
      [accountId, id],
    );
    return monitor;
  }

  async list(
    runner: Runner,
    accountId: string,
    { limit, after }: { limit: number; after?: string },
  ): Promise<ShownMonitor[]> {
    return runner.query<ShownMonitor>(
      `${SHOWN} where m.account_id = $1 and ($3::uuid is null or m.id < $3)
       order by m.id desc limit $2`,
      [accountId, limit, after ?? null],
    );
  }

  async isWatched(transaction: Transaction, accountId: string, name: string): Promise<boolean> {
    const rows = await transaction.query(
      `select from monitors m where domain_name = $2 and kind = 'domain' and account_id = $1
         and ${isActive('m')} limit 1`,
      [accountId, name],
    );
    return rows.length > 0;
  }

  /** @param now the time from which the monitor is active, if it was paused before. */
  async update(transaction: Transaction, monitor: Monitor, now: Date): Promise<void> {
    const { accountId, id, name, isPaused, isOverLimit, sendsMail, rule } = monitor;
    await transaction.query(
      // If the interval becomes shorter, included checks that were made before still count.
      `with included as (
         select w.dns_checked_at as at from monitors m join watched_names w on w.name = m.domain_name
         where m.account_id = $1 and m.id = $2 and m.interval_minutes is null and w.dns_checked_at >= m.watched_from
           and (m.checked_at is null or w.dns_checked_at > m.checked_at)
       )
       update monitors m set name = $3, is_paused = $4, is_over_limit = $5, sends_mail = $6, rule = $7,
         interval_minutes = $8, revision = nextval('monitor_revisions'),
         watched_from = case when ${isActive('m')} or $4 or $5 then m.watched_from
           else coalesce(${watchedByOther('$1', 'm.domain_name', '$2')}, $9) end,
         checked_at = coalesce((select at from included), m.checked_at),
         included_at = coalesce((select at from included), m.included_at)
       where m.account_id = $1 and m.id = $2`,
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
   * Activates an account's oldest monitors within its limits, and marks the others as over the limit. Monitors that the
   * account has paused stay paused.
   * @returns the domains of the monitors that have become active.
   */
  async fit(
    transaction: Transaction,
    accountId: string,
    slots: MonitorSlots,
    now: Date,
  ): Promise<string[]> {
    const { domain, brand, registrant } = slots;
    const rows = await transaction.query<{ name: string | null; isOver: boolean }>(
      `with places as (
         select id, row_number() over (partition by kind order by id)
           > case kind when 'domain' then $2::integer when 'brand' then $3 else $4 end as is_over
         from monitors where account_id = $1 and not is_paused
       )
       update monitors m set is_over_limit = is_over, revision = nextval('monitor_revisions'),
         watched_from = case when is_over then m.watched_from
           else coalesce(${watchedByOther('$1', 'm.domain_name', 'm.id')}, $5) end
       from places where m.account_id = $1 and m.id = places.id and m.is_over_limit <> is_over
       returning m.domain_name as name, m.is_over_limit as "isOver"`,
      [accountId, domain, brand, registrant, now],
    );
    return namesOf(rows.filter(({ isOver }) => !isOver));
  }
}

const namesOf = (rows: readonly { name: string | null }[]) => [
  ...new Set(rows.flatMap(({ name }) => name ?? [])),
];
