import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { DAY_MS, type Job, MINUTE_MS, crashPoint } from '#libs/platform';
import { CallbacksService } from '../callbacks/callbacks.service.js';
import type {
  CallResult,
  PaymentProcessor,
  ProcessorName,
} from '../processors/payment-processor.js';
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

  /** @throws AggregateError if a processor's events could not be read, so that this is logged and raises an alert. */
  async runOnce(): Promise<void> {
    const faults: unknown[] = [];
    await this.runs.record(this.name, async (count) => {
      for (const processor of this.processors.all) {
        // A fault at one processor does not stop the events of another from being read.
        await this.readAll(processor, count).catch((error: unknown) => {
          count.failed += 1;
          faults.push(error);
        });
      }
    });
    if (faults.length > 0) throw new AggregateError(faults, 'events could not be read');
  }

  private async readAll(processor: PaymentProcessor, count: MissedNewsCount): Promise<void> {
    const { name } = processor;
    const stored = await this.database.transaction((transaction) =>
      this.callbacks.readCursor(transaction, name),
    );
    let cursor = startOf(stored, count.startedAt.getTime());
    for (let hasMore = true; hasMore;) {
      const page = await processor.listSince(cursor);
      if (page.outcome !== 'done') throw notRead(name, page);
      const { events, cursor: next } = page.value;
      const receivedAt = count.startedAt;
      // The list also has events that are of no use here and were not subscribed to.
      for (const event of events.filter(({ ref }) => ref !== undefined)) {
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

/** @param stored the time up to which events were read; undefined if there is none. */
function startOf(stored: Date | undefined, nowMs: number): Date {
  // A time in the future was stored while the clock was wrong, so it does not show which events were read.
  const isKnown = stored !== undefined && stored.getTime() <= nowMs + OVERLAP_MS;
  const wantedMs = isKnown ? stored.getTime() - OVERLAP_MS : nowMs - LOOK_BACK_MS;
  return new Date(wantedMs);
}

function notRead(
  name: ProcessorName,
  end: Exclude<CallResult<unknown>, { outcome: 'done' }>,
): Error {
  const said = end.outcome === 'refused' ? `refused (${end.code}): ${end.message}` : 'no answer';
  const cause = end.outcome === 'unknown' ? end.cause : undefined;
  return new Error(`the events of ${name}: ${said}`, { cause });
}
