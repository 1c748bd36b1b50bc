import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { InvoiceRevision } from './invoice-revision.entity.js';

@Injectable()
export class RevisionsRepository {
  async insert(transaction: Transaction, revision: InvoiceRevision): Promise<void> {
    await transaction.manager.insert(InvoiceRevision, revision);
  }

  async findLatest(
    transaction: Transaction,
    accountId: string,
    invoiceId: string,
  ): Promise<InvoiceRevision | null> {
    return transaction.manager
      .createQueryBuilder(InvoiceRevision, 'revision')
      .where('revision.accountId = :accountId and revision.invoiceId = :invoiceId', {
        accountId,
        invoiceId,
      })
      .orderBy('revision.revision', 'DESC')
      .limit(1)
      .getOne();
  }

  async listLatest(
    transaction: Transaction,
    accountId: string,
    invoiceIds: readonly string[],
  ): Promise<Map<string, { revision: number; sha256: Buffer }>> {
    const rows = await transaction.query<{ id: string; revision: number; sha256: Buffer }>(
      `select distinct on (invoice_id) invoice_id as id, revision, sha256 from invoice_revisions
       where account_id = $1 and invoice_id = any($2) order by invoice_id, revision desc`,
      [accountId, invoiceIds],
    );
    return new Map(rows.map(({ id, ...latest }) => [id, latest]));
  }

  async countSince(transaction: Transaction, accountId: string, since: Date): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select count(*)::int as count from invoice_revisions
       where account_id = $1 and revision > 1 and printed_at > $2`,
      [accountId, since],
    );
    return count;
  }

  /** Locks an invoice, so that its revisions are created one at a time. */
  async lock(transaction: Transaction, accountId: string, invoiceId: string): Promise<void> {
    await transaction.query(`select pg_advisory_xact_lock(hashtextextended($1 || $2, 0))`, [
      accountId,
      invoiceId,
    ]);
  }
}
