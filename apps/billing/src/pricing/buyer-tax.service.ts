import { Injectable } from '@nestjs/common';
import { ContactsService } from '../mails/contacts.service.js';
import { BillingDetailsMissing } from './pricing.errors.js';
import { type BuyerTax, NO_TAX, TaxRates } from './tax-rates.js';

/** What tax an account pays, by where its billing details say that it is. */
@Injectable()
export class BuyerTaxService {
  constructor(
    private readonly rates: TaxRates,
    private readonly contacts: ContactsService,
  ) {}

  /**
   * Does not ask account while no rates are set.
   * @throws BillingDetailsMissing, ServiceUnavailable.
   */
  async taxOf(accountId: string): Promise<BuyerTax> {
    if (this.rates.isEmpty) return NO_TAX;
    const contact = await this.contacts.find(accountId);
    // An erased account buys nothing; the rules for purchases say so.
    if (!contact) return NO_TAX;
    if (!contact.details) throw new BillingDetailsMissing();
    return this.rates.taxOf(contact.details);
  }
}
