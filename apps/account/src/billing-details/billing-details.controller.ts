import { Body, Controller, Get } from '@nestjs/common';
import { BILLING_DETAILS, BILLING_DETAILS_PUT, PutBillingDetailsRequest } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { BillingDetailsService } from './billing-details.service.js';

@Controller()
export class BillingDetailsController {
  constructor(private readonly billingDetails: BillingDetailsService) {}

  @ServesBrowser(BILLING_DETAILS)
  get(@CurrentSession() owner: ActiveSession) {
    return this.billingDetails.get(owner.accountId);
  }

  @ServesBrowser(BILLING_DETAILS_PUT)
  put(@CurrentSession() owner: ActiveSession, @Body() request: PutBillingDetailsRequest) {
    return this.billingDetails.put(owner, request);
  }

  @Get('internal/billing-contact')
  @AllowCallers('billing', 'worker')
  contact(@AccountId() accountId: string) {
    return this.billingDetails.getContact(accountId);
  }
}
