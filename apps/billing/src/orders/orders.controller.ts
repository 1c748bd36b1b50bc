import { Body, Controller, Headers, Param } from '@nestjs/common';
import { CreateOrderRequest, ORDER, ORDERS, ORDER_CREATE, Serves } from '#libs/contracts';
import { AccountId, idempotencyKeyOf } from '#libs/platform';
import { OrdersService } from './orders.service.js';

/** The customer's orders, on behalf of a session that the gateway has checked. */
@Controller()
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Serves(ORDER_CREATE)
  create(
    @AccountId() accountId: string,
    @Body() request: CreateOrderRequest,
    @Headers('idempotency-key') key?: string,
  ) {
    return this.orders.create(accountId, request, idempotencyKeyOf(key));
  }

  @Serves(ORDERS)
  list(@AccountId() accountId: string) {
    return this.orders.list(accountId);
  }

  @Serves(ORDER)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.orders.get(accountId, id);
  }
}
