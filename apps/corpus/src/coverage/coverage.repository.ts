import { Injectable } from '@nestjs/common';
import { SearchDatabase } from '../searches/search-database.js';

export interface CoveredSource {
  id: number;
  name: string;
  isShown: boolean;
  isGenerated: boolean;
  observations: number;
  firstAt: Date | null;
  updatedAt: Date | null;
}

@Injectable()
export class CoverageRepository {
  constructor(private readonly database: SearchDatabase) {}

  async listSources(): Promise<CoveredSource[]> {
    return this.database.queryForAll(
      `select s.id, s.name, s.is_shown as "isShown", s.is_generated as "isGenerated",
         coalesce(t.observations, 0)::float8 as observations, t.first_at as "firstAt",
         t.updated_at as "updatedAt"
       from source s left join source_total t on t.source_id = s.id
       order by s.id`,
    );
  }

  async countNames(tld: string): Promise<number> {
    const [row] = await this.database.query<{ names: number }>(
      'select names::float8 as names from tld_names where tld = $1',
      [tld],
    );
    return row?.names ?? 0;
  }
}
