import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { InvoiceEncryptionService } from '../invoice-encryption/invoice-encryption.service.js';
import { JudgedTaxIdsRepository } from './judged-tax-ids.repository.js';
import type { TaxSubject } from './tax-subject.js';

/**
 * Stores the tax ids that determined taxes. An invoice names the tax id of its own decision, even if the buyer removes
 * or replaces that id before the invoice is printed.
 */
@Injectable()
export class JudgedTaxIdsService {
  constructor(
    private readonly kept: JudgedTaxIdsRepository,
    private readonly data: InvoiceEncryptionService,
  ) {}

  /** @param taxId null if the tax was decided without a tax id; an earlier tax id is then deleted. */
  async keep(transaction: Transaction, subject: TaxSubject, taxId: string | null): Promise<void> {
    if (taxId === null) return this.kept.delete(transaction, subject);
    const text = Buffer.from(JSON.stringify(taxId));
    const { year, encrypted } = await this.data.encryptNow(transaction, subject.accountId, text);
    await this.kept.put(transaction, subject, { year, taxId: encrypted });
  }

  /** @returns null if the tax was decided without a tax id, or if the retention period of that year is over. */
  async find(transaction: Transaction, subject: TaxSubject): Promise<string | null> {
    const kept = await this.kept.find(transaction, subject);
    if (!kept) return null;
    const of = { accountId: subject.accountId, year: kept.year };
    const taxId = await this.data.decrypt(transaction, of, kept.taxId);
    return taxId && (JSON.parse(taxId.toString('utf8')) as string);
  }
}
