import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { GrantPage, LineSums, Owned } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { LineIdsRequest, ListGrantsQuery } from './fulfilment.dto.js';
import { FulfilmentService } from './fulfilment.service.js';

@Controller('/internal')
@AllowCallers('billing', 'cli')
export class FulfilmentController {
  constructor(private readonly fulfilment: FulfilmentService) {}

  @Post('/reconciliation/lines')
  async sums(@Body() { lineIds }: LineIdsRequest): Promise<LineSums[]> {
    return this.fulfilment.sums(lineIds);
  }

  @Get('/owned')
  async owned(@AccountId() accountId: string): Promise<Owned> {
    return this.fulfilment.owned(accountId);
  }

  @Get('/grants')
  async grants(
    @AccountId() accountId: string,
    @Query() { cursor }: ListGrantsQuery,
  ): Promise<GrantPage> {
    return this.fulfilment.grants(accountId, cursor);
  }
}
