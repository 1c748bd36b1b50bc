import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import { type Key, sliceOf } from './domain-key.js';

/** The tables with data about names, by key and name; the table `domain` itself is not included. */
const NAME_TABLES = [
  'name_source',
  'whois_revision',
  'whois_confirmation',
  'contact_token',
  'dns_span',
  'dns_sighting',
  'host',
  'host_sighting',
  'change_event',
  'listed_name',
] as const;

@Injectable()
export class NameRowsRepository {
  async eraseOf(
    transaction: Transaction,
    names: readonly { key: Key; name: string }[],
    sourceId: number,
  ): Promise<void> {
    for (const table of NAME_TABLES) {
      await transaction.query(
        `delete from ${table} where source_id = $3
           and (domain_key, name) in (select * from unnest($1::bigint[], $2::text[]))`,
        [...columnsOf(names, 'key', 'name'), sourceId],
      );
    }
  }

  async erase(
    transaction: Transaction,
    names: readonly { key: Key; name: string }[],
  ): Promise<void> {
    const keys = columnsOf(names, 'key', 'name');
    const gone = '(domain_key, name) in (select * from unnest($1::bigint[], $2::text[]))';
    for (const table of NAME_TABLES) {
      await transaction.query(`delete from ${table} where ${gone}`, keys);
    }
    await transaction.query(
      `delete from staged_name where slice = any($3::smallint[]) and ${gone}`,
      [...keys, names.map(({ key }) => sliceOf(key))],
    );
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
  }
}
