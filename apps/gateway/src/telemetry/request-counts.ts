import { Buckets, SECONDS_BUCKETS, SECOND_MS } from '#libs/platform';
import type { ApiRoute } from '../routes/api-route.js';

const STATUS_MAX = 600;
/**
 * The maximum number of codes with a count of their own, because owners add codes. All further
 * codes share a count.
 */
const CODES_MAX = 100;
const OTHER_CODES = 'other';

export class RouteCounts {
  readonly statuses = new Float64Array(STATUS_MAX);
  /** The seconds from the request's headers to the end of its answer. */
  readonly seconds = new Buckets(SECONDS_BUCKETS);
}

/** Counts of all requests to the API: plain numbers that each scrape reads. */
export class RequestCounts {
  readonly byRoute: ReadonlyMap<ApiRoute, RouteCounts>;
  readonly refusals = new Map<string, number>();

  constructor(routes: readonly ApiRoute[]) {
    this.byRoute = new Map(routes.map((route) => [route, new RouteCounts()]));
  }

  /** @param code the problem's code, if the request was rejected. */
  note(route: ApiRoute, status: number, durationMs: number, code?: string): void {
    const counts = this.byRoute.get(route);
    if (counts === undefined) return;
    counts.statuses[status]++;
    counts.seconds.add(durationMs / SECOND_MS);
    if (code !== undefined) this.noteRefusal(code);
  }

  private noteRefusal(code: string): void {
    const known = this.refusals.get(code);
    const name = known === undefined && this.refusals.size >= CODES_MAX ? OTHER_CODES : code;
    this.refusals.set(name, (known ?? this.refusals.get(name) ?? 0) + 1);
  }
}
