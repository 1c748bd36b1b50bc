import { Body, Controller, Get, Headers, Param, Post } from '@nestjs/common';
import { CreateOrderRequest } from '#libs/contracts';
import { AccountId, AllowCallers, idempotencyKeyOf } from '#libs/platform';
import { OrdersService } from './orders.service.js';

/** The customer's orders, on behalf of a session that the gateway has checked. */
@Controller('internal/orders')
@AllowCallers('gateway')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  create(
    @AccountId() accountId: string,
    @Body() request: CreateOrderRequest,
    @Headers('idempotency-key') key?: string,
  ) {
    return this.orders.create(accountId, request, idempotencyKeyOf(key));
  }

  @Get()
  list(@AccountId() accountId: string) {
    return this.orders.list(accountId);
  }

  @Get(':id')
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.orders.get(accountId, id);
  }
}
