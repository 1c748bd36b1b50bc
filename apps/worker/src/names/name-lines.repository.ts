import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { NameGroup } from './name-groups.js';
import type { NamedLine } from './read-name.js';

/** Names as given, until jobs have split them into chunks. */
@Injectable()
export class NameLinesRepository {
  async insert(
    transaction: Transaction,
    listId: string,
    lines: readonly NamedLine[],
  ): Promise<void> {
    await transaction.query(
      `insert into name_lines (list_id, line, name, upstream)
       select $1, * from unnest($2::int[], $3::text[], $4::text[])`,
      [listId, ...columnsOf(lines, 'line', 'name', 'upstream')],
    );
  }

  /** @param rows in COPY format. */
  async copy(transaction: Transaction, rows: AsyncIterable<string>): Promise<void> {
    await transaction.copyIn('copy name_lines (list_id, line, name, upstream) from stdin', rows);
  }

  /** The different names of a list. */
  async countGroups(transaction: Transaction, listId: string): Promise<NameGroup[]> {
    return transaction.query(
      `select split_part(name, '.', -1) as tld, upstream, count(*)::int as names
       from (select name, upstream from name_lines where list_id = $1 group by 1, 2) as unique_names
       group by 1, 2`,
      [listId],
    );
  }

  async deleteList(transaction: Transaction, listId: string): Promise<void> {
    await transaction.query('delete from name_lines where list_id = $1', [listId]);
  }
}
