import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';
import type { EventPage, ProcessorEvent } from './payment-processor.js';

/**
 * The lengths of time to try, longest first. After a long silence, a few calls are enough; when many subscriptions
 * renew, a minute fills a page.
 */
const STRETCHES_MS = [30 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];

/**
 * Reads the events from `cursor` on, over the longest stretch of time that contains few enough events for one list.
 * @param list returns the events from one time on and before another, oldest first; undefined if there are too many.
 * @throws Error if even one second has too many events, because no event may be skipped.
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
