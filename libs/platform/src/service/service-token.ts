import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.js';

/** The services that call one another. */
export type ServiceName =
  'gateway' | 'account' | 'billing' | 'entitlement' | 'lookup' | 'worker' | 'cli';

const LIFETIME_SECONDS = 120;
const RENEW_BEFORE_SECONDS = 60;

/**
 * Issues and checks the bearer tokens of internal calls: `caller.audience.expiry.hmac`. A token is
 * cached for a minute, so a call costs no HMAC on the sending side.
 */
export class ServiceTokens {
  private readonly issued = new Map<string, { token: string; expiresAt: number }>();

  constructor(
    private readonly secret: string,
    private readonly clock: Clock,
  ) {}

  issue(caller: ServiceName, audience: ServiceName): string {
    const nowSeconds = Math.floor(this.clock.now().getTime() / 1000);
    const name = `${caller}.${audience}`;
    const known = this.issued.get(name);
    // A clock that was moved back must not keep a token of the future.
    if (
      known &&
      known.expiresAt - nowSeconds > RENEW_BEFORE_SECONDS &&
      known.expiresAt - nowSeconds <= LIFETIME_SECONDS
    ) {
      return known.token;
    }
    const expiresAt = nowSeconds + LIFETIME_SECONDS;
    const token = `${name}.${expiresAt}.${this.sign(`${name}.${expiresAt}`)}`;
    this.issued.set(name, { token, expiresAt });
    return token;
  }

  /** The caller's name, or undefined when the token is forged, expired or meant for another service. */
  verify(token: string, audience: ServiceName): ServiceName | undefined {
    const [caller, forAudience, expiry, signature] = token.split('.');
    if (!signature || forAudience !== audience) return undefined;
    const expected = Buffer.from(this.sign(`${caller}.${forAudience}.${expiry}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const remainingSeconds = Number(expiry) - this.clock.now().getTime() / 1000;
    if (!(remainingSeconds > 0 && remainingSeconds <= LIFETIME_SECONDS + 5)) return undefined;
    return caller as ServiceName;
  }

  private sign(text: string): string {
    return createHmac('sha256', this.secret).update(text).digest('base64url');
  }
}
