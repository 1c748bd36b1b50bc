import { Injectable } from '@nestjs/common';
import type { HitState } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import { mayBeTold } from '../accounts/may-be-told.js';
import type { News, NewsReader, StoredNews } from './monitor-news.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

export interface NewNews {
  id: string;
  reader: NewsReader;
  news: News;
  at: Date;
  state: HitState | null;
}

const COLUMNS = `id, monitor_id as "monitorId", type, domain_name as "domainName", details, state, at`;

/** SQL: the given events, one row each. */
const GIVEN = `jsonb_to_recordset($1::jsonb) as q (id uuid, monitor_id uuid, account_id uuid, fact text, type text,
  domain_name text, details jsonb, state text, at timestamptz, awaits_mail boolean)`;
/** SQL: the monitor of a given event, if the monitor may report. */
const ACTIVE = `select from monitors m where m.id = q.monitor_id and (q.type = 'monitor.test'
  or (not m.is_paused and not m.is_over_limit and ${mayBeTold('m')}))`;

@Injectable()
export class NewsRepository {
  /**
   * Stores events of active monitors, and test events of any monitor.
   * @returns the ids of the events that were not reported before.
   */
  async insert(transaction: Transaction, all: NewNews[]): Promise<Set<string>> {
    const rows = await transaction.query<{ id: string }>(
      `insert into monitor_events (id, monitor_id, account_id, fact, type, domain_name, details, state, at, awaits_mail)
       select q.* from ${GIVEN} where exists (${ACTIVE})
       on conflict (monitor_id, fact) do nothing returning id`,
      [JSON.stringify(all.map(rowOf))],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Returns how many names monitors have reported on a day, and locks these counts until the transaction ends. On a new
   * day, they start at 0.
   * @param day `YYYY-MM-DD`.
   */
  async lockFinds(
    transaction: Transaction,
    all: NewNews[],
    day: string,
  ): Promise<Map<string, number>> {
    const rows = await transaction.query<{ monitorId: string; found: number }>(
      `insert into monitor_finds as f (monitor_id, day, found)
       select distinct m, $2::date, 0 from unnest($1::uuid[]) as m order by m
       on conflict (monitor_id) do update
       set day = excluded.day, found = case when f.day = excluded.day then f.found else 0 end
       returning monitor_id as "monitorId", found`,
      [all.map(({ reader }) => reader.monitorId), day],
    );
    return new Map(rows.map(({ monitorId, found }) => [monitorId, found]));
  }

  /** @returns the ids of the events that are not reported yet and whose monitors are active. */
  async listUntold(transaction: Transaction, all: NewNews[]): Promise<Set<string>> {
    const rows = await transaction.query<{ id: string }>(
      `select q.id from ${GIVEN} where exists (${ACTIVE})
         and not exists (select from monitor_events e where e.monitor_id = q.monitor_id and e.fact = q.fact)`,
      [JSON.stringify(all.map(rowOf))],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async addFinds(transaction: Transaction, all: NewNews[]): Promise<void> {
    await transaction.query(
      `update monitor_finds f set found = f.found + q.count
       from (select m, count(*)::integer as count from unnest($1::uuid[]) as m group by m) q
       where f.monitor_id = q.m`,
      [all.map(({ reader }) => reader.monitorId)],
    );
  }

  async listTests(
    transaction: Transaction,
    { accountId, monitorId }: Pick<NewsReader, 'accountId' | 'monitorId'>,
    since: Date,
  ): Promise<Date[]> {
    const rows = await transaction.query<{ at: Date }>(
      `select at from monitor_events
       where account_id = $1 and monitor_id = $2 and fact like 'test %' and at > $3 order by at`,
      [accountId, monitorId, since],
    );
    return rows.map(({ at }) => at);
  }

  async list(
    runner: Runner,
    { accountId, monitorId }: Pick<NewsReader, 'accountId' | 'monitorId'>,
    { limit, after, state }: { limit: number; after?: string; state?: HitState },
  ): Promise<StoredNews[]> {
    return runner.query<StoredNews>(
      `select ${COLUMNS} from monitor_events
       where account_id = $1 and monitor_id = $2 and ($4::uuid is null or id < $4) and ($5::text is null or state = $5)
       order by id desc limit $3`,
      [accountId, monitorId, limit, after ?? null, state ?? null],
    );
  }

  /** @returns undefined if the finding does not exist. */
  async setState(
    transaction: Transaction,
    { accountId, monitorId }: Pick<NewsReader, 'accountId' | 'monitorId'>,
    id: string,
    state: HitState,
  ): Promise<StoredNews | undefined> {
    const [news] = await transaction.query<StoredNews>(
      `update monitor_events set state = $4
       where account_id = $1 and monitor_id = $2 and id = $3 and state is not null returning ${COLUMNS}`,
      [accountId, monitorId, id, state],
    );
    return news;
  }

  /**
   * Deletes the events of an account's monitors. They are found by the monitors, because no index contains the accounts
   * of all events, and reading everybody's events could take longer than a handler may.
   */
  async deleteOfAccount(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(
      `delete from monitor_events
       where monitor_id = any (array(select id from monitors where account_id = $1))`,
      [accountId],
    );
  }
}

function rowOf({ id, reader, news, at, state }: NewNews): object {
  const { fact, type, domainName, details } = news;
  return {
    id,
    monitor_id: reader.monitorId,
    account_id: reader.accountId,
    fact,
    type,
    domain_name: domainName,
    details,
    state,
    at,
    awaits_mail: reader.sendsMail,
  };
}
