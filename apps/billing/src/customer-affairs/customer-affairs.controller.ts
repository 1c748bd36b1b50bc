import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { PlanChangeAnswer, SubscriptionAnswer } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { OwnInvoicesService } from '../invoices/own-invoices.service.js';
import { OwnSubscriptionsService } from '../subscriptions/own-subscriptions.service.js';
import { PlanChangesService } from '../plan-changes/plan-changes.service.js';
import { ResendReceiptRequest } from './customer-affairs.dto.js';

@Controller('internal/operator')
@AllowCallers('cli')
export class CustomerAffairsController {
  constructor(
    private readonly subscriptions: OwnSubscriptionsService,
    private readonly changes: PlanChangesService,
    private readonly invoices: OwnInvoicesService,
  ) {}

  @Get('subscriptions')
  async list(@AccountId() accountId: string): Promise<SubscriptionAnswer[]> {
    return (await this.subscriptions.list(accountId)).subscriptions;
  }

  @Post('subscriptions/:id/cancel')
  @HttpCode(200)
  cancel(@AccountId() accountId: string, @Param('id') id: string): Promise<PlanChangeAnswer> {
    return this.changes.cancel(accountId, id);
  }

  @Post('receipts')
  @HttpCode(200)
  resendReceipt(
    @AccountId() accountId: string,
    @Body() { number }: ResendReceiptRequest,
  ): Promise<{ number: string }> {
    return this.invoices.resendReceipt(accountId, number);
  }
}
