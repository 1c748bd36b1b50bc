import { Controller, Get, Query } from '@nestjs/common';
import { type TimelineEntry, TimelineQuestion, timelineOf } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { TimelineService } from './timeline.service.js';

@Controller('internal/operator/timeline')
@AllowCallers('cli')
export class TimelineController {
  constructor(private readonly timeline: TimelineService) {}

  @Get()
  list(
    @AccountId() accountId: string,
    @Query() question: TimelineQuestion,
  ): Promise<TimelineEntry[]> {
    return timelineOf(this.timeline, accountId, question);
  }
}
