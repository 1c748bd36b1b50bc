import { Injectable } from '@nestjs/common';
import type { AccountMatch } from '#libs/contracts';
import { isId } from '#libs/platform';
import { INVOICE_NUMBER } from '../invoices/invoice.entity.js';
import { ReferencesMaintenanceRepository } from './references.repository.js';

@Injectable()
export class AccountMatchesService {
  constructor(private readonly references: ReferencesMaintenanceRepository) {}

  /** Finds accounts by an invoice number, one of our ids or an id at a processor. */
  async find(text: string): Promise<AccountMatch[]> {
    if (isId(text as unknown)) return this.references.findById(text);
    const [, series, number] = INVOICE_NUMBER.exec(text) ?? [];
    if (series) return this.references.findByInvoice(series, Number(number));
    return text.includes('@') ? [] : this.references.findByProcessorId(text);
  }
}
