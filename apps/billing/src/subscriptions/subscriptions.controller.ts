import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ChangePlanRequest, PlanRequest } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { OwnSubscriptionsService } from './own-subscriptions.service.js';
import { PlanChangesService } from './plan-changes.service.js';

/** The customer's subscriptions, on behalf of a session that the gateway has checked. */
@Controller('internal/subscriptions')
@AllowCallers('gateway')
export class SubscriptionsController {
  constructor(
    private readonly own: OwnSubscriptionsService,
    private readonly changes: PlanChangesService,
  ) {}

  @Get()
  list(@AccountId() accountId: string) {
    return this.own.list(accountId);
  }

  @Get(':id')
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.own.get(accountId, id);
  }

  @Post(':id/preview')
  @HttpCode(200)
  preview(@AccountId() accountId: string, @Param('id') id: string, @Body() request: PlanRequest) {
    return this.changes.preview(accountId, id, request);
  }

  @Post(':id/change')
  @HttpCode(200)
  change(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Body() request: ChangePlanRequest,
  ) {
    return this.changes.change(accountId, id, request);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  cancel(@AccountId() accountId: string, @Param('id') id: string) {
    return this.changes.cancel(accountId, id);
  }

  @Post(':id/undo')
  @HttpCode(200)
  undo(@AccountId() accountId: string, @Param('id') id: string) {
    return this.changes.undo(accountId, id);
  }

  @Post(':id/payment-details')
  @HttpCode(200)
  paymentPage(@AccountId() accountId: string, @Param('id') id: string) {
    return this.changes.paymentPage(accountId, id);
  }
}
