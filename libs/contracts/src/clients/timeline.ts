/** One thing that happened to an account, as the service that owns it tells it. */
export interface TimelineEntry {
  /** RFC 3339. */
  at: string;
  /** Of its kind: `audit`, `mail`, `order`, `payment`, `refund`, `callback`, `letter`, `credits`, … */
  kind: string;
  /** What happened, in a few words. */
  text: string;
  /** The id to ask further with. */
  id: string;
}

/**
 * Entries newest first. One that shares its time with the last of them is among them too, so that
 * whatever is older than the last one's time is the next page.
 */
export interface TimelineQuestion {
  /** RFC 3339: only what is older. */
  before?: string;
  /** At most 1,000. */
  limit: number;
}

/** The path with the question, the same at each service. */
export function timelinePath({ before, limit }: TimelineQuestion): string {
  const query = new URLSearchParams({ limit: String(limit), ...(before && { before }) });
  return `/internal/operator/timeline?${query}`;
}
