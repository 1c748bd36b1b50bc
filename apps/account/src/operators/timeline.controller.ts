import { Controller, Get, Query } from '@nestjs/common';
import {
  AccountTimelineQuestion,
  END_OF_TIME,
  InspectionsQuestion,
  type TimelineEntry,
  timelineOf,
} from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { TimelineRepository } from './timeline.repository.js';

const BEGINNING = new Date(0);

@Controller('internal/operator/timeline')
@AllowCallers('cli')
export class TimelineController {
  constructor(private readonly timeline: TimelineRepository) {}

  @Get()
  list(
    @AccountId() accountId: string,
    @Query() question: AccountTimelineQuestion,
  ): Promise<TimelineEntry[]> {
    const withInspections = question.inspections === 'shown';
    const rows = {
      list: (id: string, before: Date, limit: number) =>
        this.timeline.list(id, before, limit, withInspections),
    };
    return timelineOf(rows, accountId, question);
  }

  @Get('inspections')
  async countInspections(
    @AccountId() accountId: string,
    @Query() { from, before }: InspectionsQuestion,
  ) {
    const [start, end] = [
      from ? new Date(from) : BEGINNING,
      before ? new Date(before) : END_OF_TIME,
    ];
    return { inspections: await this.timeline.countInspections(accountId, start, end) };
  }
}
