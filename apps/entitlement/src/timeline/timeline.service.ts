import { Injectable } from '@nestjs/common';
import type { TimelineEntry, TimelineQuestion } from '#libs/contracts';
import { TimelineRepository } from './timeline.repository.js';

/** After everything. */
const END_OF_TIME = '9999-12-31T23:59:59Z';

/** What happened to an account, as far as this service knows. */
@Injectable()
export class TimelineService {
  constructor(private readonly repository: TimelineRepository) {}

  async list(
    accountId: string,
    { before = END_OF_TIME, limit }: TimelineQuestion,
  ): Promise<TimelineEntry[]> {
    const rows = await this.repository.list(accountId, new Date(before), limit);
    return rows.map(({ at, ...entry }) => ({ at: at.toISOString(), ...entry }));
  }
}
