import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { NAME_TABLES } from '../names/name-tables.js';

/** The rows of one source. */
@Injectable()
export class GeneratorRepository {
  /**
   * Removes names that a source brought first, with everything that is known of them.
   * @returns how many.
   */
  async clear(transaction: Transaction, sourceId: number, limit: number): Promise<number> {
    const names = await transaction.query<{ key: string; name: string }>(
      `select domain_key as key, name from domain where source_id = $1
       order by domain_key limit $2`,
      [sourceId, limit],
    );
    if (names.length === 0) return 0;
    const keys = [names.map(({ key }) => key), names.map(({ name }) => name)];
    const gone = `(domain_key, name) in (select * from unnest($1::bigint[], $2::text[]))`;
    for (const table of NAME_TABLES) {
      await transaction.query(`delete from ${table} where ${gone}`, keys);
    }
    const erased = await transaction.query<{ name: string }>(
      `delete from domain where ${gone} returning name`,
      keys,
    );
    await transaction.query(
      `update tld_names t set names = t.names - q.names
       from (select substring(name from '[^.]+$') as tld, count(*) as names
         from unnest($1::text[]) as name group by 1) q
       where t.tld = q.tld`,
      [erased.map(({ name }) => name)],
    );
    return names.length;
  }
}
