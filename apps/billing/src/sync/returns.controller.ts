import { Controller, Param, Post } from '@nestjs/common';
import { AccountId, AllowCallers } from '#libs/platform';
import { ReturnsService } from './returns.service.js';

/** A customer is back from the processor's page. */
@Controller('internal/orders/:id/return')
@AllowCallers('gateway')
export class ReturnsController {
  constructor(private readonly returns: ReturnsService) {}

  @Post()
  complete(@AccountId() accountId: string, @Param('id') orderId: string) {
    return this.returns.complete(accountId, orderId);
  }
}
