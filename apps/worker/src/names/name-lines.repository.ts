import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { NameGroup } from './name-groups.js';
import type { LeftOutLine, StoredLine } from './read-name.js';

const LINES_AT_ONCE = 5_000;

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

  /** The different names of a list. */
  async countGroups(transaction: Transaction, listId: string): Promise<NameGroup[]> {
    return transaction.query(
      `select split_part(name, '.', -1) as tld, upstream, count(*)::int as names
       from (select name, upstream from name_lines where list_id = $1 and fault is null group by 1, 2) as unique_names
       group by 1, 2`,
      [listId],
    );
  }

  /**
   * Lines without an answer of their own, in order and in pages: rejected ones, and those that repeat an earlier name.
   * @param hasRepeats finding them takes long in a list of millions.
   */
  async *leftOut(
    transaction: Transaction,
    listId: string,
    { hasRepeats }: { hasRepeats: boolean },
  ): AsyncGenerator<LeftOutLine[]> {
    const lines = hasRepeats
      ? `(select line, name, fault, case when fault is null then min(line) over (partition by name, fault is null) end as first_line
          from name_lines where list_id = $1) l where fault is not null or line > first_line`
      : '(select line, name, fault, null::int as first_line from name_lines where list_id = $1) l where fault is not null';
    await transaction.query(
      `declare left_out no scroll cursor for
       select line, name, fault, first_line as "firstLine" from ${lines} order by line`,
      [listId],
    );
    for (;;) {
      const page = await transaction.query<LeftOutLine>(`fetch ${LINES_AT_ONCE} from left_out`);
      if (page.length > 0) yield page;
      if (page.length < LINES_AT_ONCE) break;
    }
    await transaction.query('close left_out');
  }

  async deleteList(transaction: Transaction, listId: string): Promise<void> {
    await transaction.query('delete from name_lines where list_id = $1', [listId]);
  }
}
