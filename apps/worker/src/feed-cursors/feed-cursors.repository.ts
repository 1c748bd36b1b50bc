import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

@Injectable()
export class FeedCursorsRepository {
  async find(runner: Runner, reader: string): Promise<string | undefined> {
    const [row] = await runner.query<{ cursor: string }>(
      'select cursor from feed_cursors where reader = $1',
      [reader],
    );
    return row?.cursor;
  }

  async put(runner: Runner, reader: string, cursor: string): Promise<void> {
    await runner.query(
      `insert into feed_cursors (reader, cursor) values ($1, $2)
       on conflict (reader) do update set cursor = excluded.cursor`,
      [reader, cursor],
    );
  }

  /** @returns false if another process has moved the position in the meantime. */
  async move(
    transaction: Transaction,
    reader: string,
    { from, to }: { from: string | undefined; to: string },
  ): Promise<boolean> {
    const rows = await transaction.query(
      from === undefined
        ? `insert into feed_cursors (reader, cursor) values ($1, $2) on conflict do nothing returning reader`
        : `update feed_cursors set cursor = $2 where reader = $1 and cursor = $3 returning reader`,
      from === undefined ? [reader, to] : [reader, to, from],
    );
    return rows.length === 1;
  }
}
