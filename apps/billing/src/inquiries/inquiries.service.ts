import { Injectable } from '@nestjs/common';
import type { AccountMatch, SetAsideMoney } from '#libs/contracts';
import { isId } from '#libs/platform';
import { INVOICE_NUMBER } from '../invoices/invoice.entity.js';
import { ReferencesMaintenanceRepository } from './references.repository.js';
import { SetAsideMaintenanceRepository } from './set-aside.repository.js';

/** What operators ask about the money of an account. */
@Injectable()
export class InquiriesService {
  constructor(
    private readonly references: ReferencesMaintenanceRepository,
    private readonly unfinished: SetAsideMaintenanceRepository,
  ) {}

  /** The accounts that an invoice number, an id of ours or one at a processor leads to. */
  async find(text: string): Promise<AccountMatch[]> {
    if (isId(text as unknown)) return this.references.findById(text);
    const [, series, number] = INVOICE_NUMBER.exec(text) ?? [];
    if (series) return this.references.findByInvoice(series, Number(number));
    return text.includes('@') ? [] : this.references.findByProcessorId(text);
  }

  /** What waits for an operator, longest first. */
  async setAside(): Promise<SetAsideMoney[]> {
    return this.unfinished.list();
  }
}
