import { type Clock, SECOND_MS, monotonicMs } from '#libs/platform';

/** The `Date` header of answers: an IMF-fixdate (RFC 9110 §5.6.7), formatted once per second. */
export class HttpDate {
  private text = '';
  private validUntilMs = -Infinity;

  constructor(private readonly clock: Clock) {}

  now(): string {
    const nowMs = monotonicMs();
    if (nowMs >= this.validUntilMs) {
      const now = this.clock.now();
      this.text = now.toUTCString();
      this.validUntilMs = nowMs + SECOND_MS - now.getUTCMilliseconds();
    }
    return this.text;
  }
}
