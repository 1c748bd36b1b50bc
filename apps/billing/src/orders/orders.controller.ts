import { Body, Controller, Headers, Param, UseGuards } from '@nestjs/common';
import {
  CreateOrderRequest,
  ORDER,
  ORDERS,
  ORDER_CREATE,
  Pages,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AccountId, idempotencyKeyOf } from '#libs/platform';
import { AccountPace } from '../pace/account-pace.js';
import { OrdersService } from './orders.service.js';

@Controller()
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly pages: Pages,
  ) {}

  @Serves(ORDER_CREATE)
  @UseGuards(AccountPace)
  create(
    @AccountId() accountId: string,
    @Body() request: CreateOrderRequest,
    @Headers('idempotency-key') key?: string,
  ) {
    return this.orders.create(accountId, request, idempotencyKeyOf(key));
  }

  @Serves(ORDERS)
  list(@AccountId() accountId: string, @Question(ORDERS) question: QuestionOf<typeof ORDERS>) {
    return this.orders.list(accountId, this.pages.asked(ORDERS, question));
  }

  @Serves(ORDER)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.orders.get(accountId, id);
  }
}
