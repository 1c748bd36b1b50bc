import { Injectable } from '@nestjs/common';
import type { FiledName } from '../names/registrable-name.js';
import type { PagePlace } from '../searches/search-answer.js';
import { SearchDatabase } from '../searches/search-database.js';
import type { SeenRevision } from './listed-revisions.js';

export interface RevisionRow extends SeenRevision {
  sourceId: number;
}

/** What a list begins with. */
export type Sort = 'newest' | 'oldest';

export interface RevisionsAsked {
  name: FiledName;
  /** The period, as times in PostgreSQL's format. */
  from: string;
  to: string;
  sourceIds: readonly number[];
}

/**
 * Revisions that were delivered or confirmed by a source whose data may be shown. `c` has the last time at which such
 * sources confirmed each revision.
 */
const REVISIONS = `
  from whois_revision r
  left join lateral (select n.observed_at from whois_revision n
    where n.domain_key = r.domain_key and n.name = r.name and n.is_complete = r.is_complete
      and (n.observed_at, n.state) > (r.observed_at, r.state)
    order by n.observed_at, n.state limit 1) next on true
  left join lateral (select max(c.observed_at) as last_at, min(c.source_id) as source_id
    from whois_confirmation c
    where c.domain_key = r.domain_key and c.name = r.name and c.is_complete = r.is_complete
      and c.observed_at >= r.observed_at and c.source_id = any($5::smallint[])
      and c.observed_at <= coalesce(next.observed_at, 'infinity') and c.state = r.state) c on true
  where r.domain_key = $1 and r.name = $2 and r.observed_at < $4
    and greatest(r.observed_at, c.last_at) >= $3
    and (r.source_id = any($5::smallint[]) or c.source_id is not null)`;

@Injectable()
export class HistoryRepository {
  constructor(private readonly database: SearchDatabase) {}

  /**
   * Lists a page of revisions. @param after time, completeness and state of the last revision of the previous page.
   */
  async list(
    asked: RevisionsAsked,
    { limit, offset, after }: PagePlace,
    sort: Sort,
  ): Promise<RevisionRow[]> {
    const { start, follows, direction } = ORDERS[sort];
    const [at, isComplete, state] = after ?? start;
    return this.database.query(
      `select r.observed_at as "observedAt", r.is_complete as "isComplete", r.state,
         case when r.source_id = any($5::smallint[]) then r.source_id else c.source_id end as "sourceId",
         r.record, coalesce(r.answered_by, '') as "answeredBy",
         greatest(r.observed_at, c.last_at) as "lastAt"
       ${REVISIONS} and (r.observed_at, r.is_complete, r.state) ${follows} ($6, $7::boolean, $8::uuid)
       order by r.observed_at ${direction}, r.is_complete ${direction}, r.state ${direction}
       limit $9 offset $10`,
      [...valuesOf(asked), at, isComplete, state, limit, offset],
    );
  }

  /** Returns whether the records of a name are from servers of different kinds, or from servers and files. */
  async isOfSeveral({ name }: RevisionsAsked): Promise<boolean> {
    const [row] = await this.database.query<{ isOfSeveral: boolean }>(
      `select count(distinct coalesce(answered_by, '')) > 1 as "isOfSeveral" from whois_revision
       where domain_key = $1 and name = $2`,
      [name.key, name.name],
    );
    return row.isOfSeveral;
  }

  async count(asked: RevisionsAsked): Promise<number> {
    const [row] = await this.database.query<{ revisions: number }>(
      `select count(*)::int as revisions ${REVISIONS}`,
      valuesOf(asked),
    );
    return row.revisions;
  }
}

const FIRST_STATE = '00000000-0000-0000-0000-000000000000';
const LAST_STATE = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The SQL of each order, with a position before its first page. */
const ORDERS = {
  newest: { start: ['infinity', 'true', LAST_STATE], follows: '<', direction: 'desc' },
  oldest: { start: ['-infinity', 'false', FIRST_STATE], follows: '>', direction: 'asc' },
} as const;

function valuesOf({ name, from, to, sourceIds }: RevisionsAsked): unknown[] {
  return [name.key, name.name, from, to, sourceIds];
}
