import { Injectable } from '@nestjs/common';
import { ALL_KEYS, type Key } from '../names/domain-key.js';
import { countOf } from '../searches/counted.js';
import type { PagePlace } from '../searches/search-answer.js';
import { SearchDatabase } from '../searches/search-database.js';
import type { SearchPattern } from '../searches/search-pattern.js';

/** The fields by which contacts are searched. */
export interface TokensAsked {
  /** Numbers of the kinds of values. */
  kinds: readonly number[];
  /** Equal values by their keys, or values like a pattern. */
  sought: { termKeys: readonly Key[] } | SearchPattern;
  /** Includes names that are no longer registered. */
  isHistoric: boolean;
  sourceIds: readonly number[];
}

export interface FoundName {
  key: Key;
  name: string;
}

/** Names by the values that their newest complete records publish. */
@Injectable()
export class ReverseWhoisRepository {
  constructor(private readonly database: SearchDatabase) {}

  /** Ordered by key, each name once. @param after key and name before the page. */
  async list(asked: TokensAsked, { limit, offset, after }: PagePlace): Promise<FoundName[]> {
    const [key, name] = after ?? [ALL_KEYS.fromKey, ''];
    const values = valuesOf(asked);
    const at = values.length;
    return this.database.query(
      `${namesOf(asked)} and (t.domain_key, t.name) > ($${at + 1}, $${at + 2})
       group by t.domain_key, t.name order by t.domain_key, t.name
       limit $${at + 3} offset $${at + 4}`,
      [...values, key, name, limit, offset],
    );
  }

  /** Counts names; returns one more than the limit if there are more. */
  async count(asked: TokensAsked): Promise<number> {
    const [row] = await this.database.query<{ records: number }>(
      countOf(`${namesOf(asked)} group by t.domain_key, t.name`),
      valuesOf(asked),
    );
    return row.records;
  }
}

function namesOf({ sought }: TokensAsked): string {
  const condition =
    'termKeys' in sought
      ? 't.term_key = any($4::bigint[])'
      : 't.folded like $4 and coalesce(t.unicode, t.folded) like $5';
  return `select t.domain_key as key, t.name from contact_token t
    where t.kind = any($1::smallint[]) and (t.is_registered or $2)
      and t.source_id = any($3::smallint[]) and ${condition}`;
}

function valuesOf({ kinds, isHistoric, sourceIds, sought }: TokensAsked): unknown[] {
  const values = 'termKeys' in sought ? [sought.termKeys] : [sought.loose, sought.exact];
  return [kinds, isHistoric, sourceIds, ...values];
}
