import { Injectable } from '@nestjs/common';
import type { FiledName } from '../names/registrable-name.js';
import { SearchDatabase } from '../searches/search-database.js';
import type { LexicalModel } from './lexical-model.js';

export interface Listing {
  list: string;
  category: string;
  host: string;
  listedAt: Date;
}

@Injectable()
export class SignalsRepository {
  constructor(private readonly database: SearchDatabase) {}

  /**
   * Returns when a name was first observed; undefined for an unknown name, or if the name's own source may not be shown
   * or is generated.
   */
  async firstSeen({ key, name }: FiledName): Promise<Date | undefined> {
    const [row] = await this.database.query<{ firstAt: Date }>(
      `select d.name, d.first_seen as "firstAt" from domain d join source s on s.id = d.source_id
       where d.domain_key = $1 and d.name = $2 and s.is_shown and not s.is_generated`,
      [key, name],
    );
    return row?.firstAt;
  }

  /**
   * Lists the block lists that contain the name now, at most 20 listings. Listings of the name
   * itself come first.
   */
  async listListings({ key, name }: FiledName): Promise<Listing[]> {
    return this.database.query(
      `select l.name, s.name as list, l.category, l.host, l.listed_at as "listedAt"
       from listed_name l join source s on s.id = l.source_id
       where l.domain_key = $1 and l.name = $2 and l.delisted_at is null and s.is_shown
       order by l.host, l.listed_at limit 20`,
      [key, name],
    );
  }

  async countLists(): Promise<number> {
    const [row] = await this.database.query<{ lists: number }>(
      `select count(*)::int as lists from source s
       where s.is_shown and s.kind = 'blocklist'
         and exists (select from source_batch b where b.source_id = s.id and b.is_complete)`,
    );
    return row.lists;
  }

  /** Returns a sample of the labels in ASCII: those of the names with the smallest keys, which are hashes. */
  async sampleLabels(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ label: string }>(
      `select label from (select label, unicode from domain order by domain_key, name limit $1) d
       where unicode is null`,
      [limit],
    );
    return rows.map(({ label }) => label);
  }

  async newestModel(): Promise<(LexicalModel & { version: number }) | undefined> {
    const [row] = await this.database.query<LexicalModel & { version: number }>(
      `select version, labels, mean, deviation, counts from lexical_model
       order by version desc limit 1`,
    );
    return row;
  }

  /** Stores a model as the newest version, and deletes the older ones. */
  async keepModel({ labels, mean, deviation, counts }: LexicalModel, at: Date): Promise<void> {
    await this.database.query(
      `with kept as (
         insert into lexical_model (trained_at, labels, mean, deviation, counts)
         values ($1, $2, $3, $4, $5) returning version)
       delete from lexical_model where version < (select version from kept)`,
      [at, labels, mean, deviation, JSON.stringify(counts)],
    );
  }
}
