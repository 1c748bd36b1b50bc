import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { PaymentAnswer, RefundAnswer } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { RefundRequest } from './refunds.dto.js';
import { RefundsService } from './refunds.service.js';

@Controller('internal/operator')
@AllowCallers('cli')
export class RefundsController {
  constructor(private readonly refunds: RefundsService) {}

  @Get('payments')
  async list(@AccountId() accountId: string): Promise<{ payments: PaymentAnswer[] }> {
    return this.refunds.list(accountId);
  }

  @Post('refunds')
  @HttpCode(200)
  async refund(
    @AccountId() accountId: string,
    @Body() request: RefundRequest,
  ): Promise<RefundAnswer> {
    return this.refunds.refund(accountId, request);
  }

  @Post('refunds/:refundId/retry')
  @HttpCode(200)
  async retry(
    @AccountId() accountId: string,
    @Param('refundId') refundId: string,
  ): Promise<RefundAnswer> {
    return this.refunds.retry(accountId, refundId);
  }

  @Post('refunds/:refundId/dismiss')
  @HttpCode(200)
  async dismiss(
    @AccountId() accountId: string,
    @Param('refundId') refundId: string,
  ): Promise<RefundAnswer> {
    return this.refunds.dismiss(accountId, refundId);
  }
}
