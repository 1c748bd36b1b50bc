import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import { type Key, keysOfSlice, sliceOf } from '../names/domain-key.js';
import type { FiledName } from '../names/registrable-name.js';
import { otherSource } from './names.repository.js';

/** A staged name. */
export interface StagedName extends FiledName {
  skeleton: string | null;
  isGone: boolean;
}

/** A part of the staged names of a file. */
export interface StagedSlice {
  fileId: string;
  slice: number;
  sourceId: number;
  at: Date;
  /** Sources with fewer rights than the list's own. */
  outranked: readonly number[];
  /** The list contains every name of a zone, and thereby confirms them. */
  isComplete: boolean;
  /** The staged names are the new ones and the removed ones. */
  isDifference: boolean;
}

export interface NamedKey {
  key: Key;
  name: string;
}

const STAGED_AT_A_TIME = 10_000;
const COLUMNS = 'slice, file_id, domain_key, name, label, unicode, skeleton, is_gone';
const STAGED = `from staged_name s where s.slice = $1 and s.file_id = $2`;
const SLICE = `${STAGED} and not s.is_gone`;
const ADD = `
  insert into domain (domain_key, name, label, unicode, skeleton, source_id, listed_by, first_seen)
  select s.domain_key, s.name, s.label, s.unicode, s.skeleton, $3::smallint, $4::smallint, $5::timestamptz
  ${SLICE} and not exists (select from domain d where d.domain_key = s.domain_key
    and d.name = s.name and d.domain_key between $6 and $7)
  order by s.domain_key
  on conflict do nothing`;

/** Long lists of names, taken in by set operations in the order of the keys. */
@Injectable()
export class FullListsRepository {
  /**
   * Adds names to those on their way in.
   * @param names in the order of their keys, compared with the list of suppressed values in `version`.
   */
  async stage(
    transaction: Transaction,
    fileId: string,
    { names, version }: { names: readonly StagedName[]; version: number },
  ): Promise<void> {
    await transaction.query(
      `insert into staged_list (file_id, suppression_version) values ($1, $2)
       on conflict do nothing`,
      [fileId, version],
    );
    const lines = names.map(
      ({ key, name, label, unicode, skeleton, isGone }) =>
        `${sliceOf(key)}\t${fileId}\t${key}\t${name}\t${label}\t${unicode ?? '\\N'}\t${skeleton ?? '\\N'}\t${isGone}\n`,
    );
    await transaction.copyIn(`copy staged_name (${COLUMNS}) from stdin`, [lines.join('')]);
  }

  /** The list of suppressed values that the first names of a file were compared with; the others with no older one. */
  async suppressionVersion(transaction: Transaction, fileId: string): Promise<number> {
    const [row] = await transaction.query<{ version: number }>(
      'select suppression_version::float8 as version from staged_list where file_id = $1',
      [fileId],
    );
    return row?.version ?? 0;
  }

  async countStaged(
    transaction: Transaction,
    { fileId, slice }: Pick<StagedSlice, 'fileId' | 'slice'>,
  ): Promise<number> {
    const [row] = await transaction.query<{ names: number }>(
      `select count(*)::int as names ${SLICE}`,
      [slice, fileId],
    );
    return row.names;
  }

  /** All names of a part, in batches. */
  async *listStaged(
    transaction: Transaction,
    { fileId, slice }: Pick<StagedSlice, 'fileId' | 'slice'>,
  ): AsyncGenerator<NamedKey[], void, void> {
    await transaction.query(
      `declare staged no scroll cursor for select s.domain_key as key, s.name ${SLICE}`,
      [slice, fileId],
    );
    for (;;) {
      const names = await transaction.query<NamedKey>(`fetch ${STAGED_AT_A_TIME} from staged`);
      if (names.length === 0) break;
      yield names;
    }
    await transaction.query('close staged');
  }

  /** Takes names out of those on their way in. */
  async unstage(
    transaction: Transaction,
    { fileId, slice }: Pick<StagedSlice, 'fileId' | 'slice'>,
    names: readonly NamedKey[],
  ): Promise<void> {
    await transaction.query(
      `delete from staged_name where slice = $1 and file_id = $2
         and (domain_key, name) in (select * from unnest($3::bigint[], $4::text[]))`,
      [slice, fileId, ...columnsOf(names, 'key', 'name')],
    );
  }

  /** Adds the names of a part that are not known. @returns them. */
  async add(transaction: Transaction, slice: StagedSlice): Promise<NamedKey[]> {
    return transaction.query(`${ADD} returning domain_key as key, name`, parametersOf(slice));
  }

  /** Like `add`, without returning the names. @returns how many. */
  async addCounted(transaction: Transaction, slice: StagedSlice): Promise<number> {
    return transaction.execute(ADD, parametersOf(slice));
  }

  /** Notes that its source has listed known names of a part that are another source's; see `NamesRepository`. */
  async addSource(transaction: Transaction, slice: StagedSlice): Promise<void> {
    await transaction.query(
      `insert into name_source (domain_key, name, source_id, first_seen)
       select d.domain_key, d.name, ${otherSource('$3::timestamptz', '$6', '$7')}
       from domain d join staged_name s on s.domain_key = d.domain_key and s.name = d.name
       where s.slice = $1 and s.file_id = $2 and not s.is_gone and d.domain_key between $4 and $5
         and d.source_id <> $6
       on conflict do nothing`,
      [
        slice.slice,
        slice.fileId,
        slice.at,
        ...keysOfSlice(slice.slice),
        slice.sourceId,
        slice.outranked,
      ],
    );
  }

  /**
   * Corrects known names of a part: when they were seen first, that they are registered, which list confirms them,
   * and whose they are. Touches no other row. @returns those that are registered again.
   */
  async correct(transaction: Transaction, slice: StagedSlice): Promise<NamedKey[]> {
    const rows = await transaction.query<NamedKey & { wasDropped: boolean }>(
      `update domain d set
         first_seen = least(d.first_seen, $4::timestamptz),
         dropped_at = case when d.dropped_at < $4 then null else d.dropped_at end,
         listed_by = coalesce(d.listed_by, $3),
         source_id = case when d.source_id = any($8::smallint[]) then $7 else d.source_id end
       from (select d.domain_key, d.name, d.dropped_at < $4 as was_dropped
         from domain d join staged_name s on s.domain_key = d.domain_key and s.name = d.name
         where s.slice = $1 and s.file_id = $2 and not s.is_gone and d.domain_key between $5 and $6
           and (d.first_seen > $4 or d.dropped_at < $4
             or (d.listed_by is null and $3::smallint is not null)
             or d.source_id = any($8::smallint[]))) q
       where d.domain_key = q.domain_key and d.name = q.name
       returning d.domain_key as key, d.name, q.was_dropped as "wasDropped"`,
      [
        slice.slice,
        slice.fileId,
        slice.isComplete ? slice.sourceId : null,
        slice.at,
        ...keysOfSlice(slice.slice),
        slice.sourceId,
        slice.outranked,
      ],
    );
    return rows.filter(({ wasDropped }) => wasDropped);
  }

  /** Names of a zone that a source has confirmed and that are not among those on their way in. */
  async listGone(
    transaction: Transaction,
    { fileId, slice, sourceId, isDifference }: StagedSlice,
    zone: string,
  ): Promise<NamedKey[]> {
    if (isDifference) {
      const gone = `select s.domain_key as key, s.name ${STAGED} and s.is_gone`;
      return transaction.query(gone, [slice, fileId]);
    }
    return transaction.query(
      // EXCEPT, because nobody counts what is staged: the planner takes it for a few rows, and would look through all
      // of them for each name.
      `select domain_key as key, name from domain
       where domain_key between $4 and $5 and listed_by = $3 and dropped_at is null
         and right(name, length($6) + 1) = '.' || $6
       except select s.domain_key, s.name ${SLICE}`,
      [slice, fileId, sourceId, ...keysOfSlice(slice), zone],
    );
  }

  /** The number of a zone's names that a source confirms, and how many of them its next list lacks. */
  async countGone(
    transaction: Transaction,
    fileId: string,
    sourceId: number,
    zone: string,
  ): Promise<{ listed: number; gone: number }> {
    const [row] = await transaction.query<{ listed: number; gone: number }>(
      // EXCEPT, as in `listGone`.
      `with listed as materialized (
         select domain_key, name from domain
         where listed_by = $2 and dropped_at is null and right(name, length($3) + 1) = '.' || $3)
       select (select count(*) from listed)::float8 as listed,
         (select count(*) from (select domain_key, name from listed
           except select domain_key, name from staged_name where file_id = $1) g)::float8 as gone`,
      [fileId, sourceId, zone],
    );
    return row;
  }

  /** Names of a zone that a source lists, but that another source has dropped since its last list. */
  async listDropped(
    transaction: Transaction,
    { sourceId, at }: { sourceId: number; at: Date },
    { zone, since }: { zone: string; since: Date },
  ): Promise<string[]> {
    const rows = await transaction.query<{ name: string }>(
      `select name from domain where listed_by = $1 and dropped_at > $2 and dropped_at < $3
         and right(name, length($4) + 1) = '.' || $4`,
      [sourceId, since, at, zone],
    );
    return rows.map(({ name }) => name);
  }

  /** Forgets the names of a part. @returns how many the list has. */
  async clearSlice(transaction: Transaction, fileId: string, slice: number): Promise<number> {
    await transaction.query(
      'delete from staged_name where file_id = $1 and slice = $2 and is_gone',
      [fileId, slice],
    );
    return transaction.execute('delete from staged_name where file_id = $1 and slice = $2', [
      fileId,
      slice,
    ]);
  }

  /** Removes all staged data of a file. */
  async clear(transaction: Transaction, fileId: string): Promise<void> {
    await transaction.query('delete from staged_name where file_id = $1', [fileId]);
    await transaction.query('delete from staged_list where file_id = $1', [fileId]);
  }
}

function parametersOf({ fileId, slice, sourceId, at, isComplete }: StagedSlice): unknown[] {
  return [slice, fileId, sourceId, isComplete ? sourceId : null, at, ...keysOfSlice(slice)];
}
