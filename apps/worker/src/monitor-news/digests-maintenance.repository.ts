import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { mayBeTold } from '../accounts/may-be-told.js';
import type { StoredNews } from './monitor-news.js';

export interface DigestLine extends Pick<StoredNews, 'type' | 'domainName' | 'details'> {
  monitorName: string;
}

/** SQL: the names in the body of a delivery, as in the index `webhook_deliveries_of_names`. */
const DELIVERED_NAMES = `jsonb_path_query_array(body::jsonb, '$.data.events[*].domain_name')`;

/** Stores when to e-mail an account's events. Two such e-mails to an account are at least an hour apart. */
@Injectable()
export class DigestsMaintenanceRepository {
  async want(transaction: Transaction, accountIds: readonly string[], at: Date): Promise<void> {
    if (accountIds.length === 0) return;
    await transaction.query(
      `insert into monitor_digests (account_id, due_at) select a, $2 from unnest($1::uuid[]) as a order by a
       on conflict (account_id) do update
       set due_at = coalesce(monitor_digests.due_at,
         greatest(excluded.due_at, monitor_digests.mailed_at + interval '1 hour'))`,
      [accountIds, at],
    );
  }

  /** Lists accounts whose e-mail is due. Deleted or suspended accounts wait. */
  async listDue(database: Pick<Database, 'query'>, at: Date, limit: number): Promise<string[]> {
    const rows = await database.query<{ accountId: string }>(
      `select account_id as "accountId" from monitor_digests d where due_at <= $1
         and ${mayBeTold('d')}
       order by due_at limit $2`,
      [at, limit],
    );
    return rows.map(({ accountId }) => accountId);
  }

  /** @returns false if another process has taken the e-mail. */
  async take(transaction: Transaction, accountId: string, at: Date): Promise<boolean> {
    const rows = await transaction.query(
      `update monitor_digests set due_at = null, mailed_at = $2
       where account_id = $1 and due_at <= $2 returning account_id`,
      [accountId, at],
    );
    return rows.length === 1;
  }

  /**
   * Takes up to `limit` events that no e-mail has reported yet, oldest first, and counts all of them. All count as
   * reported afterwards.
   */
  async takeLines(
    transaction: Transaction,
    accountId: string,
    limit: number,
  ): Promise<{ lines: DigestLine[]; count: number }> {
    const lines = await transaction.query<DigestLine>(
      `select e.type, e.domain_name as "domainName", e.details, m.name as "monitorName"
       from monitor_events e join monitors m on m.id = e.monitor_id
       where e.account_id = $1 and e.awaits_mail order by e.id limit $2`,
      [accountId, limit],
    );
    const count = await transaction.execute(
      'update monitor_events set awaits_mail = false where account_id = $1 and awaits_mail',
      [accountId],
    );
    return { lines, count };
  }

  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from monitor_digests where account_id = $1', [accountId]);
  }

  /** Lists the names in events, or in deliveries of events, which may remain after a monitor has been removed. */
  async listNames(
    database: Pick<Database, 'query'>,
    source: 'events' | 'deliveries',
    { after, limit }: { after: string; limit: number },
  ): Promise<{ id: string; names: string[] }[]> {
    return database.query(
      source === 'events'
        ? 'select id, array[domain_name] as names from monitor_events where id > $1 order by id limit $2'
        : `select id, ${DELIVERED_NAMES} as names from webhook_deliveries
           where type = 'monitor.triggered' and id > $1 order by id limit $2`,
      [after, limit],
    );
  }

  /**
   * Removes the events with these ids, and the webhook deliveries with events about one of the
   * names.
   */
  async deleteNamed(
    transaction: Transaction,
    ids: readonly string[],
    names: readonly string[],
  ): Promise<void> {
    await transaction.query('delete from monitor_events where id = any($1::uuid[])', [ids]);
    await transaction.query(
      `delete from webhook_deliveries where type = 'monitor.triggered'
         and ${DELIVERED_NAMES} ?| $1::text[]`,
      [names],
    );
  }

  /** Deletes the counts of reported names from earlier days. @param day the first day that is kept, as `YYYY-MM-DD`. */
  async deleteFindsBefore(database: Pick<Database, 'query'>, day: string): Promise<void> {
    await database.query('delete from monitor_finds where day < $1::date', [day]);
  }

  /**
   * Removes up to `limit` old events. @param which `tests` removes only test events, which are kept for a shorter time.
   * @returns the number of removed events.
   */
  async deleteNewsBefore(
    database: Pick<Database, 'query'>,
    before: Date,
    limit: number,
    which: 'all' | 'tests' = 'all',
  ): Promise<number> {
    const isMeant = which === 'tests' ? `type = 'monitor.test' and at < $1` : 'at < $1';
    const rows = await database.query(
      `delete from monitor_events where id in (
         select id from monitor_events where ${isMeant} order by at limit $2) returning id`,
      [before, limit],
    );
    return rows.length;
  }
}
