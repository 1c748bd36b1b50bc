import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { ContactTerm } from '../records/contact-terms.js';
import type { Key } from '../names/domain-key.js';

export interface Token extends ContactTerm {
  key: Key;
  name: string;
}

const TOKENS = 'unnest($1::bigint[], $2::bigint[], $3::text[]) as q (term_key, domain_key, name)';
const SAME = 't.term_key = q.term_key and t.domain_key = q.domain_key and t.name = q.name';

@Injectable()
export class TokensRepository {
  async add(transaction: Transaction, tokens: readonly Token[], sourceId: number): Promise<void> {
    await transaction.query(
      `insert into contact_token (term_key, domain_key, name, kind, folded, unicode, is_registered, source_id)
       select *, true, $7
       from unnest($1::bigint[], $2::bigint[], $3::text[], $4::smallint[], $5::text[], $6::text[])
       on conflict do nothing`,
      [...columnsOf(tokens, 'termKey', 'key', 'name', 'kind', 'folded', 'unicode'), sourceId],
    );
  }

  /** Assigns tokens to a source that also publishes them, if their previous source has fewer rights. */
  async claim(
    transaction: Transaction,
    tokens: readonly Token[],
    { sourceId, outranked }: { sourceId: number; outranked: readonly number[] },
  ): Promise<void> {
    await transaction.query(
      `update contact_token t set source_id = $4 from ${TOKENS}
       where ${SAME} and t.source_id = any($5::smallint[])`,
      [...columnsOf(tokens, 'termKey', 'key', 'name'), sourceId, outranked],
    );
  }

  async remove(transaction: Transaction, tokens: readonly Token[]): Promise<void> {
    await transaction.query(
      `delete from contact_token t using ${TOKENS} where ${SAME}`,
      columnsOf(tokens, 'termKey', 'key', 'name'),
    );
  }

  async mark(
    transaction: Transaction,
    tokens: readonly Token[],
    isRegistered: boolean,
  ): Promise<void> {
    await transaction.query(
      `update contact_token t set is_registered = $4 from ${TOKENS}
       where ${SAME} and t.is_registered is distinct from $4`,
      [...columnsOf(tokens, 'termKey', 'key', 'name'), isRegistered],
    );
  }
}
