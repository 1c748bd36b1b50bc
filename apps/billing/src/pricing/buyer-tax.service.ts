import { Injectable } from '@nestjs/common';
import { ContactsService } from '../mails/contacts.service.js';
import { BillingDetailsMissing } from './pricing.errors.js';
import { TaxRates } from './tax-rates.js';

/** What tax an account pays, by where its billing details say that it is. */
@Injectable()
export class BuyerTaxService {
  constructor(
    private readonly rates: TaxRates,
    private readonly contacts: ContactsService,
  ) {}

  /**
   * The rate in millionths of the net price. Nobody is asked while no rates are set.
   * @throws BillingDetailsMissing, ServiceUnavailable.
   */
  async ppmFor(accountId: string): Promise<number> {
    if (this.rates.isEmpty) return 0;
    const contact = await this.contacts.find(accountId);
    // An erased account buys nothing; the rules for purchases say so.
    if (!contact) return 0;
    if (!contact.details) throw new BillingDetailsMissing();
    return this.rates.ppmFor(contact.details);
  }
}
