import { Injectable } from '@nestjs/common';
import type { TimelineRow } from '#libs/contracts';
import { CancellationReasonsService } from '../cancellation-reasons/cancellation-reasons.service.js';
import { REASON, TimelineRepository } from './timeline.repository.js';

@Injectable()
export class TimelineService {
  constructor(
    private readonly timeline: TimelineRepository,
    private readonly reasons: CancellationReasonsService,
  ) {}

  /** Lists the entries, newest first, including all entries with the same time as the last. */
  async list(accountId: string, before: Date, limit: number): Promise<TimelineRow[]> {
    const rows = await this.timeline.list(accountId, before, limit);
    if (!rows.some(({ kind }) => kind === REASON)) return rows;
    const said = await this.reasons.list(accountId);
    return rows.map((row) =>
      row.kind === REASON
        ? { ...row, kind: 'subscription', text: `${row.text}: ${said.get(row.id) ?? 'unknown'}` }
        : row,
    );
  }
}
