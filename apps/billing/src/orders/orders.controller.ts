import { Body, Controller, Get, Headers, Param, Post } from '@nestjs/common';
import { CreateOrderRequest } from '#libs/contracts';
import { AccountId, AllowCallers, InvalidRequest } from '#libs/platform';
import { OrdersService } from './orders.service.js';

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

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
    return this.orders.create(accountId, request, checkedKey(key));
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

function checkedKey(key: string | undefined): string | undefined {
  if (key === undefined || KEY_PATTERN.test(key)) return key;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw new InvalidRequest([{ field: 'idempotency-key', message }]);
}
