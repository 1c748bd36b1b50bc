import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
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
}
