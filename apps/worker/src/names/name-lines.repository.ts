import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import { type NameGroup, OTHER_TLDS } from './name-groups.js';
import type { LeftOutLine, StoredLine } from './read-name.js';

/** Maximum number of top-level domains of an upstream that are counted separately. No known upstream has more. */
const TLDS_OF_UPSTREAM_MAX = 1_000;

/** Stores the lines of lists of names, each the list of a job or of an upload. */
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

  /** @param rows the rows in COPY format. */
  async copy(transaction: Transaction, rows: AsyncIterable<string>): Promise<void> {
    const columns = 'list_id, line, name, upstream, fault';
    await transaction.copyIn(`copy name_lines (${columns}) from stdin`, rows);
  }

  /**
   * Counts the unique names of a list by top-level domain. Each upstream's smallest top-level domains are
   * counted together, as `OTHER_TLDS`, because a list may contain millions of unknown ones.
   */
  async countGroups(transaction: Transaction, listId: string): Promise<NameGroup[]> {
    return transaction.query(
      `select case when place <= $2 then tld else $3 end as tld, upstream, sum(names)::int as names
       from (select split_part(name, '.', -1) as tld, upstream, count(*) as names,
           row_number() over (partition by upstream order by count(*) desc) as place
         from (select name, upstream from name_lines where list_id = $1 and fault is null group by 1, 2) as unique_names
         group by 1, 2) as by_tld
       group by 1, 2`,
      [listId, TLDS_OF_UPSTREAM_MAX, OTHER_TLDS],
    );
  }

  /**
   * Yields the lines without an answer of their own, in order: rejected lines, and lines that repeat an earlier name.
   * The list is read only once, however many pages are returned.
   * @param hasRepeats whether to find repeated names, which requires sorting all names of the list.
   */
  async *listLeftOut(
    transaction: Transaction,
    listId: string,
    { hasRepeats, pageSize }: { hasRepeats: boolean; pageSize: number },
  ): AsyncGenerator<LeftOutLine[], void, void> {
    const firstLine = hasRepeats
      ? 'case when fault is null then min(line) over (partition by name, fault is null) end'
      : 'null::int';
    await transaction.query(
      `declare left_out no scroll cursor for
       select line, name, fault, "firstLine"
       from (select line, name, fault, ${firstLine} as "firstLine" from name_lines where list_id = $1) as list
       where fault is not null or line > "firstLine" order by line`,
      [listId],
    );
    for (;;) {
      const page = await transaction.query<LeftOutLine>(`fetch ${pageSize} from left_out`);
      if (page.length === 0) break;
      yield page;
    }
    await transaction.query('close left_out');
  }

  async deleteList(transaction: Transaction, listId: string): Promise<void> {
    await transaction.query('delete from name_lines where list_id = $1', [listId]);
  }
}
