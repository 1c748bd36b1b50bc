import { Controller, Get, Query } from '@nestjs/common';
import {
  AccountTimelineQuestion,
  END_OF_TIME,
  LooksQuestion,
  type TimelineEntry,
  timelineOf,
} from '#libs/contracts';
import { AccountId, AllowCallers } from '#libs/platform';
import { TimelineRepository } from './timeline.repository.js';

const BEGINNING = new Date(0);

/** What happened to an account, as far as this service knows. */
@Controller('internal/operator/timeline')
@AllowCallers('cli')
export class TimelineController {
  constructor(private readonly timeline: TimelineRepository) {}

  @Get()
  list(
    @AccountId() accountId: string,
    @Query() question: AccountTimelineQuestion,
  ): Promise<TimelineEntry[]> {
    const withLooks = question.looks === 'shown';
    const rows = {
      list: (id: string, before: Date, limit: number) =>
        this.timeline.list(id, before, limit, withLooks),
    };
    return timelineOf(rows, accountId, question);
  }

  @Get('looks')
  async countLooks(@AccountId() accountId: string, @Query() { from, before }: LooksQuestion) {
    const [start, end] = [
      from ? new Date(from) : BEGINNING,
      before ? new Date(before) : END_OF_TIME,
    ];
    return { looks: await this.timeline.countLooks(accountId, start, end) };
  }
}
