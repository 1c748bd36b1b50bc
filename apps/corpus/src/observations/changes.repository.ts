import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { Change } from './change.js';
import type { CorrectedName } from './names.repository.js';

@Injectable()
export class ChangesRepository {
  async add(transaction: Transaction, changes: readonly Change[], sourceId: number): Promise<void> {
    await transaction.query(
      `insert into change_event (id, domain_key, name, kind, observed_at, subject, is_first, members, is_repeated,
         is_shown_first, source_id)
       select id, domain_key, name, kind, observed_at, subject, is_first,
         string_to_array(members, ','), is_repeated, is_shown_first, $11
       from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::text[],
           $7::boolean[], $8::text[], $9::boolean[], $10::boolean[])
         as q (id, domain_key, name, kind, observed_at, subject, is_first, members, is_repeated, is_shown_first)`,
      [
        ...columnsOf(changes, 'id', 'key', 'name', 'kind', 'at', 'subject', 'isFirst'),
        changes.map(({ members }) => members.join()),
        changes.map(({ isRepeated = false }) => isRepeated),
        changes.map(({ isShownFirst = false }) => isShownFirst),
        sourceId,
      ],
    );
  }

  /**
   * Selects the names that sources recorded as new. Names in the first file of a zone were not recorded as new, because
   * they existed before. (On a cluster, an update of names cannot read this table.)
   */
  async selectNew(
    transaction: Transaction,
    names: readonly CorrectedName[],
    sourceIds: readonly number[],
  ): Promise<CorrectedName[]> {
    if (names.length === 0) return [];
    const rows = await transaction.query<{ name: string }>(
      `select q.name from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       where exists (select from change_event c where c.domain_key = q.domain_key and c.name = q.name
         and c.kind = 'new' and c.source_id = any($3::smallint[]))`,
      [...columnsOf(names, 'key', 'name'), sourceIds],
    );
    const found = new Set(rows.map(({ name }) => name));
    return names.filter(({ name }) => found.has(name));
  }
}
