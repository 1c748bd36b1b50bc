import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';
import type { EventPage, ProcessorEvent } from './payment-processor.js';

/** Longest first: after a long silence a few calls are enough, at a renewal of everybody a minute is a page. */
const STRETCHES_MS = [30 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];

/**
 * Reads what happened from `cursor` on, in the longest stretch of time that is not too full.
 * @param list what happened from a time on and before another one, oldest first; undefined for too much of it.
 * @throws Error when even a second is too full: nothing is left out.
 */
export async function readEvents(
  cursor: Date,
  now: Date,
  list: (start: Date, end: Date) => Promise<ProcessorEvent[] | undefined>,
): Promise<EventPage> {
  for (const stretchMs of STRETCHES_MS) {
    const wanted = new Date(cursor.getTime() + stretchMs);
    const end = wanted < now ? wanted : now;
    const events = await list(cursor, end);
    if (events) return { events, cursor: end, hasMore: end < now };
  }
  throw new Error(`too much happened in the second after ${cursor.toISOString()}`);
}
