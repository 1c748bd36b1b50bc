import { SECOND_MS } from '#libs/platform';

/** How many 429 answers a sender gets at once in each second. */
const AT_ONCE_MAX = 10;

/**
 * Delays the 429 answers to a sender that ignores earlier ones. Each of the sender's connections then waits for an
 * answer, so that a flood takes little time from other requests.
 */
export class RefusalDelays {
  private readonly counts = new Map<string, number>();
  private endsMs = 0;

  constructor(private readonly delayMs: number) {}

  /** Counts a 429 answer to an account or a site. @returns how many milliseconds the answer must wait. */
  delayOf(sender: string, nowMs: number): number {
    if (nowMs >= this.endsMs) {
      this.counts.clear();
      this.endsMs = nowMs + SECOND_MS;
    }
    const count = (this.counts.get(sender) ?? 0) + 1;
    this.counts.set(sender, count);
    return count > AT_ONCE_MAX ? this.delayMs : 0;
  }
}
