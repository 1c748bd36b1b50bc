import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { NameGroup } from './name-groups.js';
import type { LeftOutLine, StoredLine } from './read-name.js';

/** Names as given, until jobs have split them into chunks. */
@Injectable()
export class NameLinesRepository {
  async insert(
    transaction: Transaction,
    listId: string,
    lines: readonly StoredLine[],
  ): Promise<void> {
    await transaction.query(
      `insert into name_lines (list_id, line, name, upstream, fault)
       select $1, * from unnest($2::int[], $3::text[], $4::text[], $5::text[])`,
      [listId, ...columnsOf(lines, 'line', 'name', 'upstream', 'fault')],
    );
  }

  /** @param rows in COPY format. */
  async copy(transaction: Transaction, rows: AsyncIterable<string>): Promise<void> {
    const columns = 'list_id, line, name, upstream, fault';
    await transaction.copyIn(`copy name_lines (${columns}) from stdin`, rows);
  }

  /** The unique names of a list. */
  async countGroups(transaction: Transaction, listId: string): Promise<NameGroup[]> {
    return transaction.query(
      `select split_part(name, '.', -1) as tld, upstream, count(*)::int as names
       from (select name, upstream from name_lines where list_id = $1 and fault is null group by 1, 2) as unique_names
       group by 1, 2`,
      [listId],
    );
  }

  /**
   * Lines without an answer of their own, in order: rejected ones, and those that repeat an earlier name.
   * @param hasRepeats finding them groups all names of the list.
   * @returns at most `limit` lines after the line `after`.
   */
  async listLeftOut(
    transaction: Transaction,
    listId: string,
    { hasRepeats, after, limit }: { hasRepeats: boolean; after: number; limit: number },
  ): Promise<LeftOutLine[]> {
    const repeats = `
      with repeated as (select name, min(line) as line from name_lines where list_id = $1 and fault is null
        group by name having count(*) > 1)
      select l.line, l.name, l.fault, r.line as "firstLine"
      from name_lines l left join repeated r on r.name = l.name and l.fault is null and r.line < l.line
      where l.list_id = $1 and l.line > $2 and (l.fault is not null or r.line is not null)
      order by l.line limit $3`;
    const rejected = `
      select line, name, fault, null::int as "firstLine" from name_lines
      where list_id = $1 and line > $2 and fault is not null order by line limit $3`;
    return transaction.query(hasRepeats ? repeats : rejected, [listId, after, limit]);
  }

  async deleteList(transaction: Transaction, listId: string): Promise<void> {
    await transaction.query('delete from name_lines where list_id = $1', [listId]);
  }
}
