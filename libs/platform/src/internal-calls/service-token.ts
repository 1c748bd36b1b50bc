import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { InternalTls } from './internal-tls.js';
import { PairSecrets, type ServiceName } from './pair-secrets.js';
import type { ServiceSecret } from './service-secret.js';

const LIFETIME_SECONDS = 120;
const RENEW_BEFORE_SECONDS = 60;
/** The number of base64url characters, which encode 132 bits. */
const SEAL_LENGTH = 22;

/**
 * Issues and checks the bearer tokens of internal calls: `caller.audience.expiry.hmac`, under the secret of that pair.
 * A token is cached for a minute, or until the secret changes, so most calls cost the caller no HMAC.
 */
export class ServiceTokens {
  private readonly issued = new Map<string, { token: string; expiresAt: number; secret: string }>();
  private readonly secretAt: (nowMs: number) => PairSecrets;

  /**
   * @param secret a string if it never changes.
   * @param tls for the connections that carry the tokens; without it, the connections are plain.
   */
  constructor(
    secret: ServiceSecret | string,
    private readonly clock: Clock,
    readonly tls?: InternalTls,
  ) {
    const fixed = typeof secret === 'string' ? new PairSecrets(secret) : undefined;
    this.secretAt = (nowMs) => fixed ?? (secret as ServiceSecret).at(nowMs);
  }

  /** Returns a token. @throws if the secrets do not belong to this caller. */
  issue(caller: ServiceName, audience: ServiceName): string {
    const nowMs = this.clock.now().getTime();
    const nowSeconds = Math.floor(nowMs / 1000);
    const [secret] = this.secretAt(nowMs).of(caller, audience);
    if (!secret)
      throw new Error(`SERVICE_SECRET has no secret for calls from ${caller} to ${audience}`);
    const name = `${caller}.${audience}`;
    const known = this.issued.get(name);
    // A clock that was moved back must not keep a token from the future.
    if (
      known?.secret === secret &&
      known.expiresAt - nowSeconds > RENEW_BEFORE_SECONDS &&
      known.expiresAt - nowSeconds <= LIFETIME_SECONDS
    ) {
      return known.token;
    }
    const expiresAt = nowSeconds + LIFETIME_SECONDS;
    const token = `${name}.${expiresAt}.${signatureOf(`${name}.${expiresAt}`, secret)}`;
    this.issued.set(name, { token, expiresAt, secret });
    return token;
  }

  /** Returns the caller's name; undefined if the token is forged, expired or meant for another service. */
  verify(token: string, audience: ServiceName): ServiceName | undefined {
    const [caller, forAudience, expiry, signature] = token.split('.');
    if (!signature || forAudience !== audience) return undefined;
    const nowMs = this.clock.now().getTime();
    const signed = `${caller}.${forAudience}.${expiry}`;
    const secrets = this.secretAt(nowMs).of(caller, forAudience);
    const isOurs = secrets.some((secret) => isEqual(signature, signatureOf(signed, secret)));
    if (!isOurs) return undefined;
    const remainingSeconds = Number(expiry) - nowMs / 1000;
    if (!(remainingSeconds > 0 && remainingSeconds <= LIFETIME_SECONDS + 5)) return undefined;
    return caller as ServiceName;
  }

  /**
   * Signs data that a service gives to a client and later receives back, such as a cursor.
   * @throws Error if the secrets do not belong to this service.
   */
  seal(service: ServiceName, text: string): string {
    const [secret] = this.secretAt(this.clock.now().getTime()).of(service, service);
    if (!secret) throw new Error(`SERVICE_SECRET has no secret for ${service}`);
    return sealOf(text, secret);
  }

  /** Whether a service sealed this text. During a rotation, a seal under either secret is valid. */
  isSealed(service: ServiceName, text: string, seal: string): boolean {
    const secrets = this.secretAt(this.clock.now().getTime()).of(service, service);
    return secrets.some((secret) => isEqual(seal, sealOf(text, secret)));
  }
}

/**
 * Computes a seal. No token begins like the sealed text, so a seal and a token cannot be confused. A short seal keeps
 * URLs short.
 */
function sealOf(text: string, secret: string): string {
  return signatureOf(`seal ${text}`, secret).slice(0, SEAL_LENGTH);
}

function signatureOf(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
