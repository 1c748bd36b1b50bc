import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { GrantPage, LineSums, Owned } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { LineIdsRequest, ListGrantsQuery } from './holdings.dto.js';
import { HoldingsService } from './holdings.service.js';

@Controller('/internal')
@AllowCallers('billing', 'cli')
export class HoldingsController {
  constructor(private readonly holdings: HoldingsService) {}

  @Post('/reconciliation/lines')
  async sums(@Body() { lineIds }: LineIdsRequest): Promise<LineSums[]> {
    return this.holdings.sums(lineIds);
  }

  @Get('/owned')
  async owned(@AccountId() accountId: string): Promise<Owned> {
    return this.holdings.owned(accountId);
  }

  @Get('/grants')
  async grants(
    @AccountId() accountId: string,
    @Query() { cursor }: ListGrantsQuery,
  ): Promise<GrantPage> {
    return this.holdings.grants(accountId, cursor);
  }
}
