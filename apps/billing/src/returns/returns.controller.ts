import { Controller, Param, UseGuards } from '@nestjs/common';
import { ORDER_DROP, ORDER_RETURN, Serves } from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { AccountPace } from '../pace/account-pace.js';
import { ReturnsService } from './returns.service.js';

/** Serves customers who return from the processor's page, and customers who drop their order. */
@Controller()
@UseGuards(AccountPace)
export class ReturnsController {
  constructor(private readonly returns: ReturnsService) {}

  @Serves(ORDER_RETURN)
  complete(@AccountId() accountId: string, @Param('id') orderId: string) {
    return this.returns.complete(accountId, orderId);
  }

  @Serves(ORDER_DROP)
  drop(@AccountId() accountId: string, @Param('id') orderId: string) {
    return this.returns.drop(accountId, orderId);
  }
}
