import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { Key } from '../names/domain-key.js';

@Injectable()
export class GeneratorRepository {
  /** Lists names that were first delivered by a source. */
  async list(
    transaction: Transaction,
    sourceId: number,
    limit: number,
  ): Promise<{ key: Key; name: string }[]> {
    return transaction.query(
      `select domain_key as key, name from domain where source_id = $1
       order by domain_key limit $2`,
      [sourceId, limit],
    );
  }

  /** Lists those of the names that belong to another source. */
  async listOfOthers(
    transaction: Transaction,
    names: readonly { key: Key; name: string }[],
    sourceId: number,
  ): Promise<Set<string>> {
    const rows = await transaction.query<{ name: string }>(
      `select d.name from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       join domain d on d.domain_key = q.domain_key and d.name = q.name
       where d.source_id <> $3`,
      [...columnsOf(names, 'key', 'name'), sourceId],
    );
    return new Set(rows.map(({ name }) => name));
  }
}
