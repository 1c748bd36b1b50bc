import { Body, Controller, Headers, Param, UseGuards } from '@nestjs/common';
import {
  CancelRequest,
  ChangePlanRequest,
  PlanRequest,
  SUBSCRIPTION_CANCEL,
  SUBSCRIPTION_CHANGE,
  SUBSCRIPTION_DROP,
  SUBSCRIPTION_PAYMENT_DETAILS,
  SUBSCRIPTION_PREVIEW,
  SUBSCRIPTION_UNDO,
  Serves,
} from '#libs/contracts';
import { AccountId, idempotencyKeyOf } from '#libs/platform';
import { AccountPace } from '../pace/account-pace.js';
import { PlanChangesService } from './plan-changes.service.js';

@Controller()
@UseGuards(AccountPace)
export class PlanChangesController {
  constructor(private readonly changes: PlanChangesService) {}

  @Serves(SUBSCRIPTION_PREVIEW)
  preview(@AccountId() accountId: string, @Param('id') id: string, @Body() request: PlanRequest) {
    return this.changes.preview(accountId, id, request);
  }

  @Serves(SUBSCRIPTION_CHANGE)
  change(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Body() request: ChangePlanRequest,
    @Headers('idempotency-key') key?: string,
  ) {
    return this.changes.change(accountId, id, { ...request, key: idempotencyKeyOf(key) });
  }

  @Serves(SUBSCRIPTION_CANCEL)
  cancel(@AccountId() accountId: string, @Param('id') id: string, @Body() request: CancelRequest) {
    return this.changes.cancel(accountId, id, request);
  }

  @Serves(SUBSCRIPTION_UNDO)
  undo(@AccountId() accountId: string, @Param('id') id: string) {
    return this.changes.undo(accountId, id);
  }

  @Serves(SUBSCRIPTION_DROP)
  drop(@AccountId() accountId: string, @Param('id') id: string) {
    return this.changes.drop(accountId, id);
  }

  @Serves(SUBSCRIPTION_PAYMENT_DETAILS)
  paymentPage(@AccountId() accountId: string, @Param('id') id: string) {
    return this.changes.paymentPage(accountId, id);
  }
}
