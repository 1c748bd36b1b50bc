import { Injectable } from '@nestjs/common';
import type { TaxAnswer } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { JudgedTaxIdsService } from '../tax-ids/judged-tax-ids.service.js';
import type { TaxSubject } from '../tax-ids/tax-subject.js';
import { Clock } from '#libs/platform';
import { ContactsService } from '../contacts/contacts.service.js';
import { BillingDetailsMissing } from './tax.errors.js';
import { type BuyerTax, NO_TAX, TaxRates } from './tax-rates.js';

@Injectable()
export class BuyerTaxService {
  constructor(
    private readonly rates: TaxRates,
    private readonly contacts: ContactsService,
    private readonly taxIds: JudgedTaxIdsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Determines the tax on what is bought at a time, by default now. Does not call the account service while no rates are
   * set.
   * @throws BillingDetailsMissing, ServiceUnavailable.
   */
  async taxOf(accountId: string, at = this.clock.now()): Promise<BuyerTax> {
    if (this.rates.isEmpty) return NO_TAX;
    const contact = await this.contacts.find(accountId);
    // An erased account cannot buy anything: the purchase rules reject it.
    if (!contact) return NO_TAX;
    if (!contact.details) throw new BillingDetailsMissing();
    return this.rates.taxOf(contact.details, at);
  }

  /** Works like `taxOf`, but returns null as the rate if the country is missing. @throws ServiceUnavailable. */
  async preview(accountId: string): Promise<TaxAnswer> {
    try {
      const { ppm, isReverseCharge } = await this.taxOf(accountId);
      return { tax_ppm: ppm, is_reverse_charge: isReverseCharge };
    } catch (error) {
      if (!(error instanceof BillingDetailsMissing)) throw error;
      return { tax_ppm: null, is_reverse_charge: false };
    }
  }

  /**
   * Stores the tax id by which a subject's tax was decided, because the subject's invoices name it.
   * Without a tax id, deletes an earlier one.
   */
  async note(
    transaction: Transaction,
    subject: TaxSubject,
    { judgedBy }: Pick<BuyerTax, 'judgedBy'>,
  ): Promise<void> {
    await this.taxIds.keep(transaction, subject, judgedBy);
  }
}
