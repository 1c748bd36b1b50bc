import { Controller, Get, Query } from '@nestjs/common';
import type { TimelineEntry } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { TimelineQuery } from './timeline.dto.js';
import { TimelineService } from './timeline.service.js';

@Controller('internal/operator/timeline')
@AllowCallers('cli')
export class TimelineController {
  constructor(private readonly timeline: TimelineService) {}

  @Get()
  list(@AccountId() accountId: string, @Query() query: TimelineQuery): Promise<TimelineEntry[]> {
    return this.timeline.list(accountId, query);
  }
}
