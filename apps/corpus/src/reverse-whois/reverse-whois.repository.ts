import { Injectable } from '@nestjs/common';
import { ALL_KEYS, type Key } from '../names/domain-key.js';
import {
  type CountedRow,
  type CountedRows,
  countedPage,
  countedRows,
} from '../searches/counted-pages.js';
import type { PagePlace } from '../searches/search-answer.js';
import { SearchDatabase } from '../searches/search-database.js';
import type { SearchPattern } from '../searches/search-pattern.js';

export interface TokensAsked {
  kinds: readonly number[];
  /** The values to find: equal ones, by their keys, or those that match a pattern. */
  sought: { termKeys: readonly Key[] } | SearchPattern;
  /** Whether to include names that are no longer registered. */
  isHistoric: boolean;
  /** The suffixes to search; empty for all. */
  suffixes: readonly string[];
  sourceIds: readonly number[];
}

export interface FoundName {
  key: Key;
  name: string;
}

@Injectable()
export class ReverseWhoisRepository {
  constructor(private readonly database: SearchDatabase) {}

  /** Counts names, and reads a page of them as `list` does. */
  async find(
    asked: TokensAsked,
    { limit, offset, after }: PagePlace,
  ): Promise<CountedRows<FoundName>> {
    const [key, name] = after ?? FIRST;
    const values = valuesOf(asked);
    const at = values.length;
    const sql = countedPage(`${namesOf(asked)} group by t.domain_key, t.name`, {
      after: `(key, name) > ($${at + 1}, $${at + 2})`,
      order: 'key, name',
      limitClause: `limit $${at + 3} offset $${at + 4}`,
    });
    return countedRows(
      await this.database.query<CountedRow<FoundName>>(sql, [...values, key, name, limit, offset]),
    );
  }

  /** Lists names in the order of keys, each once. @param after key and name of the last name of the previous page. */
  async list(asked: TokensAsked, { limit, offset, after }: PagePlace): Promise<FoundName[]> {
    const [key, name] = after ?? FIRST;
    const values = valuesOf(asked);
    const at = values.length;
    return this.database.query(
      `${namesOf(asked)} and (t.domain_key, t.name) > ($${at + 1}, $${at + 2})
       group by t.domain_key, t.name order by t.domain_key, t.name
       limit $${at + 3} offset $${at + 4}`,
      [...values, key, name, limit, offset],
    );
  }
}

/** A position before every page. */
const FIRST = [ALL_KEYS.fromKey, ''] as const;

function namesOf({ sought, suffixes }: TokensAsked): string {
  const condition =
    'termKeys' in sought
      ? 't.term_key = any($4::bigint[])'
      : `t.folded like $4
        and case when t.unicode is null then t.folded like $5 else t.unicode like $5 end`;
  // Without suffixes, the condition is left out: the planner would assume that it excludes most rows.
  const ending = `and t.name like any ($${'termKeys' in sought ? 5 : 6}::text[])`;
  return `select t.domain_key as key, t.name from contact_token t
    where t.kind = any($1::smallint[]) and (t.is_registered or $2)
      and t.source_id = any($3::smallint[]) and ${condition} ${suffixes.length > 0 ? ending : ''}`;
}

function valuesOf({ kinds, isHistoric, sourceIds, sought, suffixes }: TokensAsked): unknown[] {
  const values = 'termKeys' in sought ? [sought.termKeys] : [sought.loose, sought.exact];
  const endings = suffixes.map((suffix) => `%.${suffix}`);
  return [kinds, isHistoric, sourceIds, ...values, ...(endings.length > 0 ? [endings] : [])];
}
