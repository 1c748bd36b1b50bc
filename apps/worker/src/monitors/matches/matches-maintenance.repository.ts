import { Injectable } from '@nestjs/common';
import type { MonitorRule } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import type { NewsReader } from '../news/monitor-news.js';

/** A rule, and who is told of what it finds. */
export interface ReadRule {
  reader: NewsReader;
  rule: MonitorRule;
}

const IS_SOUGHT = `kind <> 'domain' and not is_paused and not is_over_limit`;

/** Rules of all accounts, and how far the corpus's changes have been read. */
@Injectable()
export class MatchesMaintenanceRepository {
  /** Another text whenever a rule was added, changed, paused or removed. */
  async fingerprint(database: Pick<Database, 'query'>): Promise<string> {
    const [row] = await database.query<{ text: string }>(
      `select count(*) || ' ' || coalesce(sum(revision), 0) as text from monitors where ${IS_SOUGHT}`,
    );
    return row.text;
  }

  async listRules(database: Pick<Database, 'query'>): Promise<ReadRule[]> {
    const rows = await database.query<NewsReader & Pick<ReadRule, 'rule'>>(
      `select id as "monitorId", account_id as "accountId", kind, name, sends_mail as "sendsMail", rule
       from monitors where ${IS_SOUGHT} order by id`,
    );
    return rows.map(({ rule, ...reader }) => ({ rule, reader }));
  }

  async findCursor(database: Pick<Database, 'query'>, reader: string): Promise<string | undefined> {
    const [row] = await database.query<{ cursor: string }>(
      'select cursor from feed_cursors where reader = $1',
      [reader],
    );
    return row?.cursor;
  }

  /** @returns false when somebody else has read on from there. */
  async moveCursor(
    transaction: Transaction,
    reader: string,
    { from, to }: { from: string | undefined; to: string },
  ): Promise<boolean> {
    const rows = await transaction.query(
      from === undefined
        ? `insert into feed_cursors (reader, cursor) values ($1, $2) on conflict do nothing returning reader`
        : `update feed_cursors set cursor = $2 where reader = $1 and cursor = $3 returning reader`,
      from === undefined ? [reader, to] : [reader, to, from],
    );
    return rows.length === 1;
  }
}
