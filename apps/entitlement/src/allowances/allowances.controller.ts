import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { Allowance, ChangePage } from '#libs/contracts';
import { ChangeFeed, ChangesRequest } from '#libs/messaging';
import { AccountId, AllowCallers } from '#libs/platform';
import { LiftOverrideRequest, OverrideLimitRequest } from './allowances.dto.js';
import { AllowancesService } from './allowances.service.js';

@Controller('/internal')
@AllowCallers('gateway', 'worker')
export class AllowancesController {
  constructor(
    private readonly allowances: AllowancesService,
    private readonly feed: ChangeFeed,
  ) {}

  @Get('/allowance')
  @AllowCallers('cli', 'dashboard', 'gateway', 'worker')
  async find(@AccountId() accountId: string): Promise<Allowance> {
    return this.allowances.find(accountId);
  }

  @Post('/changes')
  async changes(@Body() { cursor }: ChangesRequest): Promise<ChangePage> {
    return this.feed.read(cursor);
  }

  @Post('/operator/overrides')
  @AllowCallers('cli')
  async override(
    @AccountId() accountId: string,
    @Body() { until, ...body }: OverrideLimitRequest,
  ): Promise<void> {
    await this.allowances.override(accountId, { ...body, until: new Date(until) });
  }

  @Post('/operator/overrides/lift')
  @HttpCode(200)
  @AllowCallers('cli')
  async lift(
    @AccountId() accountId: string,
    @Body() { name }: LiftOverrideRequest,
  ): Promise<{ hasChanged: boolean }> {
    return { hasChanged: await this.allowances.liftOverride(accountId, name) };
  }
}
