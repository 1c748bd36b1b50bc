import { Controller, Get, Query } from '@nestjs/common';
import { type TimelineEntry, TimelineQuestion, timelineOf } from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { TimelineRepository } from './timeline.repository.js';

@Controller('internal/operator/timeline')
@AllowCallers('cli')
export class TimelineController {
  constructor(private readonly timeline: TimelineRepository) {}

  @Get()
  list(
    @AccountId() accountId: string,
    @Query() question: TimelineQuestion,
  ): Promise<TimelineEntry[]> {
    return timelineOf(this.timeline, accountId, question);
  }
}
