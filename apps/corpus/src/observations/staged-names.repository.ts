import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import { SLICES, sliceOf } from '../names/domain-key.js';
import type { FiledName } from '../names/registrable-name.js';
import type { NamedKey, StagedSlice } from './full-lists.repository.js';

export interface StagedName extends FiledName {
  skeleton: string | null;
  isGone: boolean;
}

type Part = Pick<StagedSlice, 'fileId' | 'slice'>;

const STAGED_AT_A_TIME = 10_000;
const COLUMNS = 'slice, file_id, domain_key, name, label, unicode, skeleton, is_gone';
/** The names in a part of a list. (Names that the list lacks are also staged.) */
const LISTED = `from staged_name s where s.slice = $1 and s.file_id = $2 and not s.is_gone`;

@Injectable()
export class StagedNamesRepository {
  /**
   * Stages names.
   * @param names in the order of their keys, already checked against the list of suppressed values in `version`.
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

  /**
   * Returns the version of the list of suppressed values against which the first names of a file were checked; 0 if no
   * names are staged. Later names were checked against this version or a newer one.
   */
  async suppressionVersion(transaction: Transaction, fileId: string): Promise<number> {
    const [row] = await transaction.query<{ version: number }>(
      'select suppression_version::float8 as version from staged_list where file_id = $1',
      [fileId],
    );
    return row?.version ?? 0;
  }

  async countStaged(transaction: Transaction, { fileId, slice }: Part): Promise<number> {
    const [row] = await transaction.query<{ names: number }>(
      `select count(*)::int as names ${LISTED}`,
      [slice, fileId],
    );
    return row.names;
  }

  async *listStaged(
    transaction: Transaction,
    { fileId, slice }: Part,
  ): AsyncGenerator<NamedKey[], void, void> {
    await transaction.query(
      `declare staged no scroll cursor for select s.domain_key as key, s.name ${LISTED}`,
      [slice, fileId],
    );
    for (;;) {
      const names = await transaction.query<NamedKey>(`fetch ${STAGED_AT_A_TIME} from staged`);
      if (names.length === 0) break;
      yield names;
    }
    await transaction.query('close staged');
  }

  async unstage(
    transaction: Transaction,
    { fileId, slice }: Part,
    names: readonly NamedKey[],
  ): Promise<void> {
    await transaction.query(
      `delete from staged_name where slice = $1 and file_id = $2
         and (domain_key, name) in (select * from unnest($3::bigint[], $4::text[]))`,
      [slice, fileId, ...columnsOf(names, 'key', 'name')],
    );
  }

  /** Removes the staged names of a part. @returns the number of removed names that are on the list. */
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

  /** Removes all staged names of a file: slice by slice, because a large zone takes longer than one statement may. */
  async clear(transaction: Transaction, fileId: string): Promise<void> {
    for (let slice = 0; slice < SLICES; slice += 1) {
      await transaction.query('delete from staged_name where slice = $1 and file_id = $2', [
        slice,
        fileId,
      ]);
    }
    await transaction.query('delete from staged_list where file_id = $1', [fileId]);
  }
}
