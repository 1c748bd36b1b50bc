import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { type Key, keysOfSlice } from '../names/domain-key.js';
import {
  type CorrectedName,
  type CorrectedNames,
  againAt,
  correctedNames,
  isNewFor,
  isShownFirst,
  newSince,
  otherSource,
} from './names.repository.js';

export interface StagedSlice {
  fileId: string;
  slice: number;
  sourceId: number;
  at: Date;
  /** The sources with fewer rights than the source of the list. */
  outranked: readonly number[];
  /** Those of them whose data may not be sold, if the data of the list may be sold. */
  unsold: readonly number[];
  /** The sources whose data may not be shown, if the data of the list may be shown. */
  unshown: readonly number[];
  /** Whether the data of the list may be sold, while that of another source may not. */
  isSold: boolean;
  /** Whether the list contains every name of a zone, so that all of them are confirmed. */
  isComplete: boolean;
  /** Whether only the added and removed names are staged. */
  isDifference: boolean;
}

export interface NamedKey {
  key: Key;
  name: string;
}

// The parameters of every statement about a part begin with the values of `placeOf`.
const STAGED = `from staged_name s where s.slice = $1 and s.file_id = $2`;
const LISTED = `${STAGED} and not s.is_gone`;
const IN_SLICE = `d.domain_key between $3 and $4`;
const LISTED_AND_KNOWN = `from domain d join staged_name s on s.domain_key = d.domain_key and s.name = d.name
  where s.slice = $1 and s.file_id = $2 and not s.is_gone and ${IN_SLICE}`;

const ADD = `
  insert into domain (domain_key, name, label, unicode, skeleton, source_id, listed_by, first_seen)
  select s.domain_key, s.name, s.label, s.unicode, s.skeleton, $5::smallint, $6::smallint, $7::timestamptz
  ${LISTED} and not exists (select from domain d where d.domain_key = s.domain_key
    and d.name = s.name and ${IN_SLICE})
  order by s.domain_key
  on conflict do nothing`;

const isIn = (zone: string) => `right(name, length(${zone}) + 1) = '.' || ${zone}`;

/** Imports long lists of names with set operations, in the order of the keys. */
@Injectable()
export class FullListsRepository {
  /** Adds the unknown names of a part. @returns the added names. */
  async add(transaction: Transaction, part: StagedSlice): Promise<NamedKey[]> {
    return transaction.query(`${ADD} returning domain_key as key, name`, addedBy(part));
  }

  /** Adds names as `add` does, but returns only their number. */
  async addCounted(transaction: Transaction, part: StagedSlice): Promise<number> {
    return transaction.execute(ADD, addedBy(part));
  }

  /** Records that the list's source has listed names of a part that belong to another source; see `NamesRepository`. */
  async addSource(transaction: Transaction, part: StagedSlice): Promise<void> {
    await transaction.query(
      `insert into name_source (domain_key, name, source_id, first_seen)
       select d.domain_key, d.name, ${otherSource('$5::timestamptz', '$6', '$7')}
       ${LISTED_AND_KNOWN} and d.source_id <> $6
       on conflict do nothing`,
      [...placeOf(part), part.at, part.sourceId, part.outranked],
    );
  }

  /**
   * Corrects known names of a part: the time of the first sighting, the registration, the list that confirms the name,
   * and the source. Changes no other row.
   */
  async correct(transaction: Transaction, part: StagedSlice): Promise<CorrectedNames> {
    const wasDropped = 'd.dropped_at < $5';
    const isOutranked = 'd.source_id = any($7::smallint[])';
    const rows = await transaction.query<CorrectedName>(
      `update domain d set
         first_seen = least(d.first_seen, $5::timestamptz),
         dropped_at = case when ${wasDropped} then null else d.dropped_at end,
         again_at = ${againAt(wasDropped, '$5', '$11')},
         source_id = case when ${isOutranked} then $6 else d.source_id end,
         listed_by = coalesce(d.listed_by, $8)
       from (select d.domain_key, d.name, coalesce(${wasDropped}, false) as was_dropped,
           ${isNewFor('d', { since: '$10::timestamptz', unsold: '$9', isSold: '$11' })} as is_new,
           ${isShownFirst('d', '$10::timestamptz', '$12')} as is_shown_first
         ${LISTED_AND_KNOWN} and (d.first_seen > $5 or ${wasDropped} or ${isOutranked}
           or ($11::boolean and d.again_at is not null)
           or (d.listed_by is null and $8::smallint is not null))) q
       where d.domain_key = q.domain_key and d.name = q.name
       returning d.domain_key as key, d.name, q.was_dropped as "wasDropped", q.is_new as "isNew",
         q.is_shown_first as "isShownFirst"`,
      [
        ...placeOf(part),
        part.at,
        part.sourceId,
        part.outranked,
        listedBy(part),
        part.unsold,
        newSince(part.at),
        part.isSold,
        part.unshown,
      ],
    );
    return correctedNames(rows);
  }

  /** Lists the names of a zone that a source has confirmed and no longer lists. */
  async listGone(transaction: Transaction, part: StagedSlice, zone: string): Promise<NamedKey[]> {
    const { fileId, slice, sourceId, isDifference } = part;
    if (isDifference) {
      const gone = `select s.domain_key as key, s.name ${STAGED} and s.is_gone`;
      return transaction.query(gone, [slice, fileId]);
    }
    return transaction.query(
      // EXCEPT is used because there are no statistics about staged rows. The planner would assume that there are only
      // a few, and scan them all for each name.
      `select d.domain_key as key, d.name from domain d
       where ${IN_SLICE} and d.listed_by = $5 and d.dropped_at is null and ${isIn('$6')}
       except select s.domain_key, s.name ${LISTED}`,
      [...placeOf(part), sourceId, zone],
    );
  }

  /**
   * Lists the names that a source no longer lists, and that others have dropped since its previous list of the zone.
   */
  async listDroppedBefore(
    transaction: Transaction,
    part: StagedSlice,
    { zone, since }: { zone: string; since: Date },
  ): Promise<NamedKey[]> {
    const isDropped = 'd.dropped_at > $5 and d.dropped_at < $6';
    const values = [...placeOf(part), since, part.at];
    if (part.isDifference) {
      return transaction.query(
        `select d.domain_key as key, d.name from domain d
           join staged_name s on s.domain_key = d.domain_key and s.name = d.name
         where s.slice = $1 and s.file_id = $2 and s.is_gone and ${IN_SLICE} and ${isDropped}`,
        values,
      );
    }
    return transaction.query(
      `select d.domain_key as key, d.name from domain d
       where ${IN_SLICE} and d.listed_by = $7 and ${isDropped} and ${isIn('$8')}
       except select s.domain_key, s.name ${LISTED}`,
      [...values, part.sourceId, zone],
    );
  }

  async countGone(
    transaction: Transaction,
    fileId: string,
    sourceId: number,
    zone: string,
  ): Promise<{ listed: number; gone: number }> {
    const [row] = await transaction.query<{ listed: number; gone: number }>(
      // EXCEPT is used for the same reason as in `listGone`.
      `with listed as materialized (
         select domain_key, name from domain
         where listed_by = $2 and dropped_at is null and ${isIn('$3')})
       select (select count(*) from listed)::float8 as listed,
         (select count(*) from (select domain_key, name from listed
           except select domain_key, name from staged_name where file_id = $1) g)::float8 as gone`,
      [fileId, sourceId, zone],
    );
    return row;
  }

  /** Lists names of a zone that a source lists, but that another source has dropped since the source's last list. */
  async listDropped(
    transaction: Transaction,
    { sourceId, at }: { sourceId: number; at: Date },
    { zone, since }: { zone: string; since: Date },
  ): Promise<string[]> {
    const rows = await transaction.query<{ name: string }>(
      `select name from domain where listed_by = $1 and dropped_at > $2 and dropped_at < $3
         and ${isIn('$4')}`,
      [sourceId, since, at, zone],
    );
    return rows.map(({ name }) => name);
  }
}

function placeOf({ slice, fileId }: StagedSlice): unknown[] {
  return [slice, fileId, ...keysOfSlice(slice)];
}

const listedBy = ({ isComplete, sourceId }: StagedSlice) => (isComplete ? sourceId : null);

function addedBy(part: StagedSlice): unknown[] {
  return [...placeOf(part), part.sourceId, listedBy(part), part.at];
}
