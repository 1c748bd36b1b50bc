import { Controller, UseGuards } from '@nestjs/common';
import { Serves, TAX, type TaxAnswer } from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { AccountPace } from '../pace/account-pace.js';
import { BuyerTaxService } from './buyer-tax.service.js';

@Controller()
export class TaxController {
  constructor(private readonly tax: BuyerTaxService) {}

  @Serves(TAX)
  @UseGuards(AccountPace)
  read(@AccountId() accountId: string): Promise<TaxAnswer> {
    return this.tax.preview(accountId);
  }
}
