import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { FiledName } from '../names/registrable-name.js';

/** What a block list says a name is used for. */
export const LISTED_CATEGORIES = [
  'phishing',
  'malware',
  'botnet',
  'spam',
  'scam',
  'other',
] as const;
export type ListedCategory = (typeof LISTED_CATEGORIES)[number];

/** A name, or a host below one, that a block list has. */
export interface ListedName extends Pick<FiledName, 'key' | 'name'> {
  /** Labels below the registrable name; empty where the list means the name itself. */
  host: string;
  category: ListedCategory;
  /** When the list took it up, or else when it was first seen on it. */
  listedAt: Date;
}

/** Names on block lists. */
@Injectable()
export class ListedNamesRepository {
  /** Adds what a list has. Rows that are there already, and still listed, are not touched. @returns how many are new. */
  async add(
    transaction: Transaction,
    listed: readonly ListedName[],
    sourceId: number,
  ): Promise<number> {
    const rows = await transaction.query(
      `insert into listed_name as l (domain_key, name, host, category, listed_at, source_id)
       select distinct on (1, 2, 3, 4) *, $6::smallint
       from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
         as q (domain_key, name, host, category, listed_at)
       order by 1, 2, 3, 4, 5
       on conflict (domain_key, name, host, source_id, category) do update
         set listed_at = excluded.listed_at, delisted_at = null
         where l.delisted_at <= excluded.listed_at
       returning 1`,
      [...columnsOf(listed, 'key', 'name', 'host', 'category', 'listedAt'), sourceId],
    );
    return rows.length;
  }

  /** Marks what a list does not have any more. @returns how many were listed. */
  async remove(
    transaction: Transaction,
    gone: readonly Pick<ListedName, 'key' | 'name' | 'host'>[],
    { sourceId, at }: { sourceId: number; at: Date },
  ): Promise<number> {
    const rows = await transaction.query(
      `update listed_name l set delisted_at = $5
       from unnest($1::bigint[], $2::text[], $3::text[]) as q (domain_key, name, host)
       where l.domain_key = q.domain_key and l.name = q.name and l.host = q.host
         and l.source_id = $4 and l.delisted_at is null and l.listed_at < $5
       returning 1`,
      [...columnsOf(gone, 'key', 'name', 'host'), sourceId, at],
    );
    return rows.length;
  }
}
