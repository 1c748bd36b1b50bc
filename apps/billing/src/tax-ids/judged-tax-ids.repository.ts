import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { TaxSubject } from './tax-subject.js';

export interface KeptTaxId {
  year: number;
  taxId: Buffer;
}

@Injectable()
export class JudgedTaxIdsRepository {
  async put(
    transaction: Transaction,
    { accountId, subjectId }: TaxSubject,
    { year, taxId }: KeptTaxId,
  ): Promise<void> {
    await transaction.query(
      `insert into judged_tax_ids (account_id, subject_id, year, tax_id) values ($1, $2, $3, $4)
       on conflict (account_id, subject_id) do update set year = excluded.year, tax_id = excluded.tax_id`,
      [accountId, subjectId, year, taxId],
    );
  }

  async delete(transaction: Transaction, { accountId, subjectId }: TaxSubject): Promise<void> {
    await transaction.query(
      'delete from judged_tax_ids where account_id = $1 and subject_id = $2',
      [accountId, subjectId],
    );
  }

  async find(
    transaction: Transaction,
    { accountId, subjectId }: TaxSubject,
  ): Promise<KeptTaxId | undefined> {
    const rows = await transaction.query<KeptTaxId>(
      `select year, tax_id as "taxId" from judged_tax_ids where account_id = $1 and subject_id = $2`,
      [accountId, subjectId],
    );
    return rows.at(0);
  }
}
