import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Database } from '../database.js';
import type {
  ExportedRow,
  ExportedSchema,
  ExportedTable,
  DecryptColumn,
} from './exported-table.js';

const PAGE_ROWS = 500;

/** Exports a service's data about an account as one JSON object with an array for each table. */
export class AccountExports {
  constructor(
    private readonly database: Database,
    private readonly schema: ExportedSchema,
    private readonly decrypt?: DecryptColumn,
  ) {}

  file(accountId: string): StreamableFile {
    const text = Readable.from(this.write(accountId), { objectMode: false });
    return new StreamableFile(text, { type: 'application/json' });
  }

  /**
   * Yields the object's text, a page of rows at a time. No transaction stays open while the reader is slow, so rows
   * that are written meanwhile may be missing.
   */
  async *write(accountId: string): AsyncGenerator<string> {
    let before = '{';
    for (const table of this.schema.tables) {
      yield `${before}${JSON.stringify(table.table)}:[`;
      let isFirst = true;
      for await (const page of this.pages(table, accountId)) {
        yield (isFirst ? '' : ',') + page.map((row) => JSON.stringify(row, plain)).join();
        isFirst = false;
      }
      yield ']';
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }

  private async *pages(table: ExportedTable, accountId: string): AsyncGenerator<ExportedRow[]> {
    let last: string[] = [];
    for (;;) {
      const sql = pageSql(table, last.length > 0);
      const rows = await this.database.query<ExportedRow & { page_key: string[] }>(sql, [
        accountId,
        ...last,
      ]);
      if (rows.length === 0) return;
      last = rows[rows.length - 1].page_key;
      const page: ExportedRow[] = [];
      for (const { page_key: _, ...row } of rows) {
        page.push(await this.decrypted(table, row, accountId));
      }
      yield page;
      if (rows.length < PAGE_ROWS) return;
    }
  }

  private async decrypted(
    { encrypted = [] }: ExportedTable,
    row: ExportedRow,
    accountId: string,
  ): Promise<ExportedRow> {
    const readable = { ...row };
    for (const column of encrypted) {
      const value = row[column];
      if (Buffer.isBuffer(value)) readable[column] = await this.decrypt?.(value, row, accountId);
    }
    return readable;
  }
}

function pageSql(
  { table, ownedBy = 'account_id', key, columns }: ExportedTable,
  isLater: boolean,
): string {
  const names = Object.keys(key);
  const bounds = Object.values(key).map((type, i) => `$${i + 2}::text::${type}`);
  return `select ${columns.join(', ')}, array[${names.map((name) => `"${name}"::text`).join(', ')}] as page_key
    from ${table} where ${ownedBy.includes('$1') ? ownedBy : `${ownedBy} = $1`}
    ${isLater ? `and (${names.join(', ')}) > (${bounds.join(', ')})` : ''}
    order by ${names.join(', ')} limit ${PAGE_ROWS}`;
}

/**
 * Converts a column's value to JSON. @throws Error for bytes, because encrypted or hashed values are never exported in
 * their stored form.
 */
function plain(this: ExportedRow, name: string, value: unknown): unknown {
  if (Buffer.isBuffer(this[name])) throw new Error(`${name} is exported as bytes`);
  return value;
}
