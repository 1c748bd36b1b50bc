import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { FiledName } from '../names/registrable-name.js';

export interface ListedHost extends Pick<FiledName, 'key' | 'name'> {
  /** The labels below the registrable name; empty if the name itself is listed. */
  host: string;
}

export interface BlockList {
  fileId: string;
  sourceId: number;
  category: string;
  at: Date;
}

const STAGED_AT_A_TIME = 10_000;

@Injectable()
export class ListedNamesRepository {
  async stage(
    transaction: Transaction,
    fileId: string,
    hosts: AsyncIterable<readonly ListedHost[]>,
  ): Promise<void> {
    async function* lines() {
      for await (const some of hosts) {
        yield some.map(({ key, name, host }) => `${fileId}\t${key}\t${name}\t${host}\n`).join('');
      }
    }
    await transaction.copyIn(
      'copy staged_listing (file_id, domain_key, name, host) from stdin',
      lines(),
    );
  }

  async *listStaged(
    transaction: Transaction,
    fileId: string,
  ): AsyncGenerator<ListedHost[], void, void> {
    await transaction.query(
      `declare listed no scroll cursor for
       select domain_key as key, name, host from staged_listing where file_id = $1`,
      [fileId],
    );
    for (;;) {
      const hosts = await transaction.query<ListedHost>(`fetch ${STAGED_AT_A_TIME} from listed`);
      if (hosts.length === 0) break;
      yield hosts;
    }
    await transaction.query('close listed');
  }

  async unstage(
    transaction: Transaction,
    fileId: string,
    hosts: readonly ListedHost[],
  ): Promise<void> {
    await transaction.query(
      `delete from staged_listing where file_id = $1
         and (domain_key, name) in (select * from unnest($2::bigint[], $3::text[]))`,
      [fileId, ...columnsOf(hosts, 'key', 'name')],
    );
  }

  async count(transaction: Transaction, { sourceId, category }: BlockList): Promise<number> {
    const [{ hosts }] = await transaction.query<{ hosts: number }>(
      `select count(*)::float8 as hosts from listed_name
       where source_id = $1 and category = $2 and delisted_at is null`,
      [sourceId, category],
    );
    return hosts;
  }

  /**
   * Adds the staged hosts, and lists delisted ones again. Rows of hosts that are still listed are not changed.
   * @returns the number of hosts that are newly listed.
   */
  async add(
    transaction: Transaction,
    { fileId, sourceId, category, at }: BlockList,
  ): Promise<number> {
    return transaction.execute(
      `insert into listed_name as l (domain_key, name, host, source_id, category, listed_at)
       select distinct domain_key, name, host, $2::smallint, $3::text, $4::timestamptz
       from staged_listing where file_id = $1
       on conflict (domain_key, name, host, source_id, category) do update
         set listed_at = excluded.listed_at, delisted_at = null
         where l.delisted_at <= excluded.listed_at`,
      [fileId, sourceId, category, at],
    );
  }

  /** Marks older entries that the list no longer contains as delisted. @returns the number of marked entries. */
  async remove(
    transaction: Transaction,
    { fileId, sourceId, category, at }: BlockList,
  ): Promise<number> {
    return transaction.execute(
      `update listed_name l set delisted_at = $4
       where l.source_id = $2 and l.category = $3 and l.delisted_at is null and l.listed_at < $4
         and not exists (select from staged_listing s where s.file_id = $1
           and s.domain_key = l.domain_key and s.name = l.name and s.host = l.host)`,
      [fileId, sourceId, category, at],
    );
  }

  async clear(transaction: Transaction, fileId: string): Promise<void> {
    await transaction.query('delete from staged_listing where file_id = $1', [fileId]);
  }
}
