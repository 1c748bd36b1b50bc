import { Body, Controller, Post } from '@nestjs/common';
import type { HoldAnswer } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { CloseHoldRequest, OpenHoldRequest, SettleHoldRequest } from './holds.dto.js';
import { HoldsService } from './holds.service.js';

@Controller('/internal/holds')
@AllowCallers('gateway', 'worker')
export class HoldsController {
  constructor(private readonly holds: HoldsService) {}

  @Post()
  async open(@AccountId() accountId: string, @Body() body: OpenHoldRequest): Promise<HoldAnswer> {
    return this.holds.open({ accountId, ...body });
  }

  @Post('/settle')
  async settle(@AccountId() accountId: string, @Body() body: SettleHoldRequest): Promise<void> {
    await this.holds.settle({ accountId, holdId: body.holdId }, body.part, body.count);
  }

  @Post('/close')
  async close(@AccountId() accountId: string, @Body() body: CloseHoldRequest): Promise<void> {
    await this.holds.close({ accountId, holdId: body.holdId });
  }
}
