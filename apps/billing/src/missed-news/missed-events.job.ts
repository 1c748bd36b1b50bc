import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { DAY_MS, type Job, MINUTE_MS, crashPoint } from '#libs/platform';
import { CallbacksService } from '../callbacks/callbacks.service.js';
import type { PaymentProcessor } from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { type MissedNewsCount, MissedNewsService } from './missed-news.service.js';

/** How far back a check looks if it does not know which events were read. */
const LOOK_BACK_MS = 3 * DAY_MS;
/** An event may appear in the list this long after newer events. */
const OVERLAP_MS = 10 * MINUTE_MS;

@Injectable()
export class MissedEventsJob implements Job {
  readonly name = 'missed-events';

  constructor(
    private readonly database: Database,
    private readonly processors: PaymentProcessors,
    private readonly callbacks: CallbacksService,
    private readonly runs: MissedNewsService,
  ) {}

  async runOnce(): Promise<void> {
    await this.runs.record(this.name, async (count) => {
      const faults: unknown[] = [];
      for (const processor of this.processors.all) {
        await this.readAll(processor, count).catch((error: unknown) => faults.push(error));
      }
      // A fault at one processor does not keep the events of another unread.
      if (faults.length > 0) throw new AggregateError(faults, 'events could not be read');
    });
  }

  private async readAll(processor: PaymentProcessor, count: MissedNewsCount): Promise<void> {
    const { name } = processor;
    const stored = await this.database.transaction((transaction) =>
      this.callbacks.readCursor(transaction, name),
    );
    // A cursor in the future was stored while the clock was wrong, so it does not show which events were read.
    const latest = count.startedAt.getTime() + OVERLAP_MS;
    const isKnown = stored !== undefined && stored.getTime() <= latest;
    const from = isKnown ? stored.getTime() - OVERLAP_MS : count.startedAt.getTime() - LOOK_BACK_MS;
    let cursor = new Date(from);
    for (let hasMore = true; hasMore;) {
      const page = await processor.listSince(cursor);
      if (page.outcome !== 'done') {
        count.failed += 1;
        return;
      }
      const { events, cursor: next } = page.value;
      const receivedAt = count.startedAt;
      for (const event of events) {
        const missed = {
          processor: name,
          event,
          receivedAt,
          source: 'listing',
          raw: null,
        } as const;
        const isNew = await this.database.transaction((transaction) =>
          this.callbacks.store(transaction, missed),
        );
        if (isNew) count.healed += 1;
      }
      crashPoint('healing.after-store');
      await this.database.transaction((transaction) =>
        this.callbacks.putCursor(transaction, name, next),
      );
      count.checked += events.length;
      ({ hasMore } = page.value);
      cursor = next;
    }
  }
}
