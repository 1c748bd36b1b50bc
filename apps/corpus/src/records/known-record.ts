import type { Registration } from './registration.js';

/** The newest complete record of a name from some sources, and the newest one from all sources. */
export interface KnownRecord {
  name: string;
  /** Null if none of these sources has a complete record; the next three members are then also null. */
  record: Registration | null;
  sourceId: number | null;
  observedAt: Date | null;
  lastAt: Date | null;
  newest: Registration;
}

const OF_NAME = 'r.domain_key = d.domain_key and r.name = d.name and r.is_complete';
const LAST_OF_SOURCES = `${OF_NAME} and r.source_id = any($3::smallint[])
  order by r.observed_at desc, r.state desc limit 1`;

/** SQL of `KnownRecord`, by keys and names; the third parameter has the ids of the sources. */
export const NEWEST_RECORDS = `
  select q.name, n.record as newest, s.record, s.source_id as "sourceId",
    s.observed_at as "observedAt", s.at as "lastAt"
  from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
  join domain d on d.domain_key = q.domain_key and d.name = q.name
  cross join lateral (select r.record from whois_revision r where ${OF_NAME}
    order by r.observed_at desc, r.state desc limit 1) n
  left join lateral (
    select seen.at, seen.source_id, k.record, k.observed_at
    from (
      (select r.observed_at as at, r.state, r.source_id from whois_revision r where ${LAST_OF_SOURCES})
      union all
      (select r.observed_at, r.state, r.source_id from whois_confirmation r where ${LAST_OF_SOURCES})
      order by at desc limit 1) seen
    cross join lateral (select r.record, r.observed_at from whois_revision r
      where ${OF_NAME} and r.state = seen.state and r.observed_at <= seen.at
      order by r.observed_at desc limit 1) k) s on true`;
