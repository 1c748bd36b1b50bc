import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { Key } from '../names/domain-key.js';
import type { GivenRecord } from '../records/record-changes.js';
import type { KeptLink } from './revision-sequence.js';

/** A sequence of revisions: the complete or the partial answers about one name. */
export interface SequenceOf {
  key: Key;
  name: string;
  isComplete: boolean;
}

export interface AskedSequence extends SequenceOf {
  firstAt: Date;
  lastAt: Date;
}

export interface PlacedLink extends SequenceOf {
  at: Date;
  state: string;
}

export interface NewRevision extends PlacedLink {
  /** JSON. */
  record: string;
  answeredBy: string;
  raw: Buffer | null;
}

export interface NewestRevision extends GivenRecord {
  key: Key;
  name: string;
  at: Date;
}

// Statements that read several tables for each name join `domain`: on a cluster, only data that is joined to a row of a
// distributed table is read on that row's own node.

/** The links between the new observations, the nearest one before the first and the nearest one after the last. */
const NEAR_LINKS = `
  select q.place, l.observed_at as at, l.state, l.is_revision
  from unnest($1::bigint[], $2::text[], $3::boolean[], $4::timestamptz[], $5::timestamptz[])
    with ordinality as q (domain_key, name, is_complete, first_at, last_at, place)
  join domain d on d.domain_key = q.domain_key and d.name = q.name
  cross join lateral (
    ${nearOf('whois_revision', true)}
    union all
    ${nearOf('whois_confirmation', false)}
  ) l`;

function nearOf(table: string, isRevision: boolean): string {
  const found = `select t.observed_at, t.state, ${isRevision} as is_revision from ${table} t
    where t.domain_key = d.domain_key and t.name = d.name and t.is_complete = q.is_complete`;
  return `
    (${found} and t.observed_at < q.first_at order by t.observed_at desc, t.state desc limit 1)
    union all (${found} and t.observed_at between q.first_at and q.last_at)
    union all (${found} and t.observed_at > q.last_at order by t.observed_at, t.state limit 1)`;
}

const ON_PLACE = `t.domain_key = q.domain_key and t.name = q.name and t.is_complete = q.is_complete
  and t.observed_at = q.at and t.state = q.state`;
const PLACES = `unnest($1::bigint[], $2::text[], $3::boolean[], $4::timestamptz[], $5::uuid[])
  as q (domain_key, name, is_complete, at, state)`;
const KEYS = 'domain_key, name, is_complete, observed_at, state, source_id';

@Injectable()
export class RevisionsRepository {
  /** Lists the links of each sequence near the new observations, in the order of `sequences`. */
  async listNear(
    transaction: Transaction,
    sequences: readonly AskedSequence[],
  ): Promise<KeptLink[][]> {
    const rows = await transaction.query<{
      place: string;
      at: Date;
      state: string;
      is_revision: boolean;
    }>(NEAR_LINKS, columnsOf(sequences, 'key', 'name', 'isComplete', 'firstAt', 'lastAt'));
    const near: KeptLink[][] = sequences.map(() => []);
    for (const { place, at, state, is_revision: isRevision } of rows) {
      near[Number(place) - 1].push({ atMs: at.getTime(), state, isRevision });
    }
    return near;
  }

  async addRevisions(
    transaction: Transaction,
    revisions: readonly NewRevision[],
    sourceId: number,
  ): Promise<void> {
    await transaction.query(
      `insert into whois_revision (${KEYS}, record, raw, answered_by)
       select q.domain_key, q.name, q.is_complete, q.at, q.state, $9, q.record::jsonb, q.raw,
         nullif(q.answered_by, '')
       from unnest($1::bigint[], $2::text[], $3::boolean[], $4::timestamptz[], $5::uuid[], $6::text[], $7::bytea[],
           $8::text[])
         as q (domain_key, name, is_complete, at, state, record, raw, answered_by)
       on conflict do nothing`,
      [
        ...columnsOf(revisions, 'key', 'name', 'isComplete', 'at', 'state', 'record', 'raw'),
        ...columnsOf(revisions, 'answeredBy'),
        sourceId,
      ],
    );
  }

  async addConfirmations(
    transaction: Transaction,
    links: readonly PlacedLink[],
    sourceId: number,
  ): Promise<void> {
    await transaction.query(
      `insert into whois_confirmation (${KEYS})
       select q.*, $6 from ${PLACES}
       on conflict do nothing`,
      [...columnsOf(links, 'key', 'name', 'isComplete', 'at', 'state'), sourceId],
    );
  }

  /** Assigns links to the source if a source with fewer rights saw the same at the same moment. */
  async claim(
    transaction: Transaction,
    links: readonly PlacedLink[],
    { sourceId, outranked }: { sourceId: number; outranked: readonly number[] },
  ): Promise<void> {
    const places = columnsOf(links, 'key', 'name', 'isComplete', 'at', 'state');
    for (const table of ['whois_revision', 'whois_confirmation']) {
      await transaction.query(
        `update ${table} t set source_id = $6 from ${PLACES}
         where ${ON_PLACE} and t.source_id = any($7::smallint[])`,
        [...places, sourceId, outranked],
      );
    }
  }

  /** Turns confirmations into revisions, with the record of the revision that they confirmed. */
  async promote(transaction: Transaction, links: readonly PlacedLink[]): Promise<void> {
    const places = columnsOf(links, 'key', 'name', 'isComplete', 'at', 'state');
    await transaction.query(
      `insert into whois_revision (${KEYS}, record, raw, answered_by)
       select q.domain_key, q.name, q.is_complete, q.at, q.state, t.source_id, r.record, r.raw, r.answered_by
       from ${PLACES}
       join whois_confirmation t on ${ON_PLACE}
       cross join lateral (select record, raw, answered_by from whois_revision r
         where r.domain_key = t.domain_key and r.name = t.name and r.is_complete = t.is_complete
           and r.observed_at < t.observed_at and r.state = t.state
         order by r.observed_at desc limit 1) r`,
      places,
    );
    await transaction.query(
      `delete from whois_confirmation t using ${PLACES} where ${ON_PLACE}`,
      places,
    );
  }

  /** Turns revisions into confirmations of an earlier revision. */
  async demote(transaction: Transaction, links: readonly PlacedLink[]): Promise<void> {
    const places = columnsOf(links, 'key', 'name', 'isComplete', 'at', 'state');
    await transaction.query(
      `insert into whois_confirmation (${KEYS})
       select t.domain_key, t.name, t.is_complete, t.observed_at, t.state, t.source_id
       from ${PLACES} join whois_revision t on ${ON_PLACE}
       on conflict do nothing`,
      places,
    );
    await transaction.query(
      `delete from whois_revision t using ${PLACES} where ${ON_PLACE}`,
      places,
    );
  }

  async listDropped(
    transaction: Transaction,
    names: readonly { key: Key; name: string }[],
  ): Promise<Set<string>> {
    const rows = await transaction.query<{ name: string }>(
      `select d.name from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       join domain d on d.domain_key = q.domain_key and d.name = q.name
       where d.dropped_at is not null`,
      columnsOf(names, 'key', 'name'),
    );
    return new Set(rows.map(({ name }) => name));
  }

  /** Lists the newest complete records of each name, newest first. @param limit the maximum per name, 1 by default. */
  async listNewest(
    transaction: Transaction,
    names: readonly { key: Key; name: string }[],
    limit = 1,
  ): Promise<NewestRevision[]> {
    return transaction.query(
      `select q.domain_key as key, q.name, r.observed_at as at, r.record,
         coalesce(r.answered_by, '') as "answeredBy"
       from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       join domain d on d.domain_key = q.domain_key and d.name = q.name
       cross join lateral (select observed_at, state, record, answered_by from whois_revision r
         where r.domain_key = d.domain_key and r.name = d.name and r.is_complete
         order by r.observed_at desc, r.state desc limit $3) r
       order by r.observed_at desc, r.state desc`,
      [...columnsOf(names, 'key', 'name'), limit],
    );
  }
}
