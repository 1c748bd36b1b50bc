import { Injectable } from '@nestjs/common';
import type { MonitorRule } from '#libs/contracts';
import type { Database } from '#libs/database';
import type { NewsReader } from '../monitor-news/monitor-news.js';

export interface ReadRule {
  reader: NewsReader;
  rule: MonitorRule;
}

const IS_SOUGHT = `kind <> 'domain' and not is_paused and not is_over_limit`;

@Injectable()
export class MatchesMaintenanceRepository {
  /** Returns a string that changes whenever a rule is added, changed, paused or removed. */
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
}
