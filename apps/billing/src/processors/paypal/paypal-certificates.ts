import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { type Clock, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { type PaypalConnection, PaypalUnreachable } from './paypal-connection.js';

export interface PaypalCertificatesOptions {
  connection: PaypalConnection;
  clock: Clock;
  /** PEM of the trusted authorities; Node's own if omitted. A simulator has its own authority. */
  authorities?: readonly string[];
}

class Untrusted extends Error {}

interface Trusted {
  leaf: X509Certificate;
  until: Date;
}

const FETCH_TIMEOUT_MS = 3 * SECOND_MS;
/**
 * Maximum number of fetches per minute for one sender. Certificates are rarely replaced, so a
 * sender that names many URLs is trying to make us send requests.
 */
const FETCHES_OF_SENDER = 3;
/** Maximum total number of fetches per minute for senders that have never sent a valid signature. */
const FETCHES_A_MINUTE = 30;
const TRUSTED_MAX = 32;
const REFUSED_MAX = 1_000;
const REFUSED_MS = 10 * MINUTE_MS;
const SENDERS_MAX = 1_000;
const CHAIN_MAX = 5;
const RSA_BITS_MIN = 2_048;
const SUBJECT = /^CN=messageverificationcerts(\.[a-z]+)?\.paypal\.com$/m;

/** Fetches the certificates with which callbacks are signed, each once, and verifies them up to a trusted authority. */
export class PaypalCertificates {
  private readonly trusted = new RecentMap<Trusted>(TRUSTED_MAX);
  /** URLs known to have no PayPal certificate, each with the time until which this is remembered. */
  private readonly refused = new RecentMap<Date>(REFUSED_MAX);
  private readonly fetching = new Map<string, Promise<X509Certificate | undefined>>();
  private readonly fetches = new FetchBudget();
  private roots: X509Certificate[] | undefined;

  constructor(private readonly options: PaypalCertificatesOptions) {}

  /**
   * Returns the certificate at a URL on a host that the caller trusts; undefined if the certificate is not PayPal's. A
   * known certificate does not count towards its sender's limit.
   * @param sender the site (`siteOf`) that named the URL.
   * @throws PaypalUnreachable if the certificate cannot be fetched now.
   */
  async at(url: string, sender: string): Promise<X509Certificate | undefined> {
    const now = this.options.clock.now();
    const known = this.trusted.get(url);
    if (known && now < known.until) return known.leaf;
    const refusedUntil = this.refused.get(url);
    if (refusedUntil && now < refusedUntil) return undefined;
    const running = this.fetching.get(url) ?? this.fetch(url, sender);
    this.fetching.set(url, running);
    try {
      return await running;
    } finally {
      this.fetching.delete(url);
    }
  }

  /**
   * Records that this sender sent a valid signature. Certificates that the sender names later are fetched regardless of
   * other senders.
   */
  confirm(sender: string): void {
    this.fetches.confirm(sender);
  }

  private async fetch(url: string, sender: string): Promise<X509Certificate | undefined> {
    const { connection, clock } = this.options;
    if (!this.fetches.take(sender, clock.now())) {
      throw new PaypalUnreachable('too many certificates in a minute');
    }
    const pem = await connection.read(url, FETCH_TIMEOUT_MS);
    const trusted = pem === undefined ? undefined : this.judge(pem);
    if (trusted) this.trusted.set(url, trusted);
    else this.refused.set(url, new Date(clock.now().getTime() + REFUSED_MS));
    return trusted?.leaf;
  }

  /** Reads a certificate; undefined if it is not PayPal's. */
  private judge(pem: string): Trusted | undefined {
    try {
      this.roots ??= (this.options.authorities ?? rootCertificates).map(
        (authority) => new X509Certificate(authority),
      );
      const chain = chainOf(pem);
      return { leaf: chain[0], until: checkChain(chain, this.roots, this.options.clock.now()) };
    } catch (error) {
      if (!(error instanceof Untrusted)) throw error;
      return undefined;
    }
  }
}

/** Limits the number of URLs fetched per minute, for each sender and for all unknown senders together. */
class FetchBudget {
  private readonly bySender = new RecentMap<Date[]>(SENDERS_MAX);
  private readonly confirmed = new RecentMap<true>(SENDERS_MAX);
  private ofStrangers: Date[] = [];

  confirm(sender: string): void {
    this.confirmed.set(sender, true);
  }

  take(sender: string, now: Date): boolean {
    const ofSender = lastMinute(this.bySender.get(sender) ?? [], now);
    if (ofSender.length >= FETCHES_OF_SENDER) return false;
    if (!this.confirmed.get(sender)) {
      this.ofStrangers = lastMinute(this.ofStrangers, now);
      if (this.ofStrangers.length >= FETCHES_A_MINUTE) return false;
      this.ofStrangers.push(now);
    }
    this.bySender.set(sender, [...ofSender, now]);
    return true;
  }
}

const lastMinute = (times: readonly Date[], now: Date) =>
  times.filter((at) => now.getTime() - at.getTime() < MINUTE_MS);

/** A map with a limited number of entries, which evicts the oldest entry first. */
class RecentMap<T> {
  private readonly values = new Map<string, T>();

  constructor(private readonly max: number) {}

  get(key: string): T | undefined {
    return this.values.get(key);
  }

  set(key: string, value: T): void {
    this.values.delete(key);
    this.values.set(key, value);
    const [oldest] = this.values.keys();
    if (this.values.size > this.max && oldest !== undefined) this.values.delete(oldest);
  }
}

function chainOf(pem: string): X509Certificate[] {
  const parts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (parts.length === 0 || parts.length > CHAIN_MAX) throw new Untrusted('no chain');
  try {
    return parts.map((part) => new X509Certificate(part));
  } catch (error) {
    throw new Untrusted('not readable', { cause: error });
  }
}

/**
 * Checks that the first certificate is PayPal's, and that a chain of the others leads from it to a trusted authority
 * (RFC 5280 §6.1 without policies, name constraints or revocation).
 * @returns the time until which all certificates of the chain are valid.
 * @throws Untrusted.
 */
function checkChain(
  [leaf, ...others]: X509Certificate[],
  roots: readonly X509Certificate[],
  now: Date,
): Date {
  if (!leaf || !SUBJECT.test(leaf.subject) || leaf.ca) throw new Untrusted('another subject');
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = leaf.publicKey;
  if (type !== 'rsa' || (details?.modulusLength ?? 0) < RSA_BITS_MIN) {
    throw new Untrusted('another kind of key');
  }
  let until = Number.POSITIVE_INFINITY;
  let current = leaf;
  for (let depth = 0; depth <= CHAIN_MAX; depth += 1) {
    until = Math.min(until, validUntil(current, now));
    const root = roots.find((candidate) => isIssuedBy(current, candidate));
    if (root) return new Date(Math.min(until, validUntil(root, now)));
    const issuer = others.find((candidate) => candidate.ca && isIssuedBy(current, candidate));
    if (!issuer) break;
    current = issuer;
  }
  throw new Untrusted('no authority that we trust');
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate) =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

function validUntil({ validFrom, validTo }: X509Certificate, now: Date): number {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  if (now.getTime() < from || now.getTime() >= to) throw new Untrusted('not valid now');
  return to;
}
