import { Body, Controller, Get, Put } from '@nestjs/common';
import { AccountId, AllowCallers } from '#libs/platform';
import { type ActiveSession, CurrentSession, RequireSession } from '../sessions/require-session.js';
import { PutBillingDetailsRequest } from './billing-details.dto.js';
import { BillingDetailsService } from './billing-details.service.js';

@Controller('internal')
export class BillingDetailsController {
  constructor(private readonly billingDetails: BillingDetailsService) {}

  @Get('dashboard/billing-details')
  @RequireSession()
  get(@CurrentSession() owner: ActiveSession) {
    return this.billingDetails.get(owner.accountId);
  }

  @Put('dashboard/billing-details')
  @RequireSession()
  put(@CurrentSession() owner: ActiveSession, @Body() request: PutBillingDetailsRequest) {
    return this.billingDetails.put(owner, request);
  }

  @Get('billing-contact')
  @AllowCallers('billing')
  contact(@AccountId() accountId: string) {
    return this.billingDetails.getContact(accountId);
  }
}
