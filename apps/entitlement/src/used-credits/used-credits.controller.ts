import { Controller, Get, Query } from '@nestjs/common';
import type { WorkDay } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { UsedDays } from './used-credits.dto.js';
import { UsedCreditsService } from './used-credits.service.js';

@Controller('internal/used-by-work')
@AllowCallers('gateway')
export class UsedCreditsController {
  constructor(private readonly usedCredits: UsedCreditsService) {}

  @Get()
  async list(@AccountId() accountId: string, @Query() days: UsedDays): Promise<WorkDay[]> {
    return this.usedCredits.listWork(accountId, days);
  }
}
