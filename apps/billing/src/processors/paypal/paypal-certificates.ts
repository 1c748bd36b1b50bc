import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { type Clock, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { type PaypalConnection, PaypalUnreachable } from './paypal-connection.js';

export interface PaypalCertificatesOptions {
  connection: PaypalConnection;
  clock: Clock;
  /** PEM of the authorities to trust; Node's own where it is left out. A simulator has one of its own. */
  authorities?: readonly string[];
}

/** A certificate that is not PayPal's, whatever it says. */
class Untrusted extends Error {}

interface Kept {
  /** Undefined for a certificate that is not PayPal's. */
  leaf: X509Certificate | undefined;
  until: Date;
}

const FETCH_TIMEOUT_MS = 3 * SECOND_MS;
/** Certificates are seldom replaced: many addresses are an attempt to make us send requests. */
const FETCHES_A_MINUTE = 10;
const KEPT_MAX = 32;
const UNTRUSTED_MS = 10 * MINUTE_MS;
const CHAIN_MAX = 5;
const RSA_BITS_MIN = 2_048;
/** Whom PayPal's certificates for callbacks are issued to. */
const SUBJECT = /^CN=messageverificationcerts(\.[a-z]+)?\.paypal\.com$/m;

/** The certificates that callbacks are signed with: fetched once each, checked up to a trusted authority. */
export class PaypalCertificates {
  private readonly kept = new Map<string, Kept>();
  private readonly fetching = new Map<string, Promise<Kept>>();
  private fetches: Date[] = [];
  private roots: X509Certificate[] | undefined;

  constructor(private readonly options: PaypalCertificatesOptions) {}

  /**
   * The certificate at an address on a host that the caller trusts; undefined when it is not PayPal's.
   * @throws PaypalUnreachable when it cannot be fetched now.
   */
  async at(url: string): Promise<X509Certificate | undefined> {
    const known = this.kept.get(url);
    if (known && this.options.clock.now() < known.until) return known.leaf;
    const running = this.fetching.get(url) ?? this.fetch(url);
    this.fetching.set(url, running);
    try {
      return (await running).leaf;
    } finally {
      this.fetching.delete(url);
    }
  }

  private async fetch(url: string): Promise<Kept> {
    this.countFetch();
    const pem = await this.options.connection.read(url, FETCH_TIMEOUT_MS);
    const kept = this.judge(pem);
    const [oldest] = this.kept.keys();
    if (this.kept.size >= KEPT_MAX && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(url, kept);
    return kept;
  }

  private countFetch(): void {
    const now = this.options.clock.now();
    this.fetches = this.fetches.filter((at) => now.getTime() - at.getTime() < MINUTE_MS);
    if (this.fetches.length >= FETCHES_A_MINUTE) {
      throw new PaypalUnreachable('too many certificates in a minute');
    }
    this.fetches.push(now);
  }

  private judge(pem: string): Kept {
    const now = this.options.clock.now();
    try {
      this.roots ??= (this.options.authorities ?? rootCertificates).map(
        (authority) => new X509Certificate(authority),
      );
      const chain = chainOf(pem);
      return { leaf: chain[0], until: checkChain(chain, this.roots, now) };
    } catch (error) {
      if (!(error instanceof Untrusted)) throw error;
      return { leaf: undefined, until: new Date(now.getTime() + UNTRUSTED_MS) };
    }
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
 * Each certificate is issued by the next that fits, the last by an authority that we trust (RFC 5280 §6.1
 * without policies, name constraints and revocation). @returns until when all of them hold.
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
