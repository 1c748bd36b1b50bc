import { verify } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Clock, SECOND_MS, siteOf } from '#libs/platform';
import type { CallbackRejection, CallbackVerdict, ProcessorEvent } from '../payment-processor.js';
import type { PaypalCertificates } from './paypal-certificates.js';
import { PaypalUnreachable } from './paypal-connection.js';
import { eventOf } from './paypal-events.js';
import type { PaypalEvent } from './paypal-objects.js';

export interface PaypalCallbackOptions {
  certificates: PaypalCertificates;
  clock: Clock;
  apiUrl: string;
  /**
   * The ids of our endpoint at PayPal, which are part of the signed text; two ids while one is being replaced (S43).
   */
  webhookIds: readonly string[];
}

interface Transmission {
  id: string;
  time: string;
  signature: string;
  certificateUrl: string;
  algorithm: string;
}

/** The maximum age of a signature, and how far it may be in the future (S42). */
const TOLERANCE_MS = 300 * SECOND_MS;
const ALGORITHM = 'SHA256withRSA';
const CERTIFICATE_PATH = '/v1/notifications/certs/';
const LIVE = ['https://api.paypal.com', 'https://api-m.paypal.com'];
const SANDBOX = ['https://api.sandbox.paypal.com', 'https://api-m.sandbox.paypal.com'];
const HEADERS: Readonly<Record<keyof Transmission, string>> = {
  id: 'paypal-transmission-id',
  time: 'paypal-transmission-time',
  signature: 'paypal-transmission-sig',
  certificateUrl: 'paypal-cert-url',
  algorithm: 'paypal-auth-algo',
};
/** Visible ASCII without the separator of the signed text. */
const HEADER_VALUE = /^[\x21-\x7b\x7d\x7e]{1,1024}$/;

/** Verifies the callbacks of one PayPal app with certificates, so that not every callback needs a call to PayPal. */
export class PaypalCallbacks {
  private readonly mode: readonly string[];

  constructor(private readonly options: PaypalCallbackOptions) {
    const { apiUrl } = options;
    this.mode = [LIVE, SANDBOX].find((origins) => origins.includes(apiUrl)) ?? [apiUrl];
  }

  async verify(raw: Buffer, headers: Record<string, unknown>): Promise<CallbackVerdict> {
    const transmission = transmissionOf(headers);
    if (!transmission) return rejected('unsigned');
    const { certificateUrl: url, algorithm, time } = transmission;
    const sender = siteOf(String(headers['x-client-address'] ?? ''));
    const isOurs = (origins: readonly string[]) => origins.some((origin) => isAt(url, origin));
    if (!isOurs(this.mode)) {
      return rejected(isOurs([...LIVE, ...SANDBOX]) ? 'wrong_mode' : 'wrong_signature');
    }
    if (algorithm !== ALGORITHM) return rejected('wrong_signature');
    // The time is checked first: a repeated old callback must not make us fetch a certificate.
    const ageMs = this.options.clock.now().getTime() - Date.parse(time);
    if (!(Math.abs(ageMs) <= TOLERANCE_MS)) return rejected('stale');
    try {
      if (!(await this.isSigned(raw, transmission, sender))) return rejected('wrong_signature');
      this.options.certificates.confirm(sender);
    } catch (error) {
      if (error instanceof PaypalUnreachable) return { verdict: 'undecided', cause: error };
      throw error;
    }
    const event = parse(raw);
    return event ? { verdict: 'accepted', event } : rejected('malformed');
  }

  /**
   * Checks the signature over `transmission id|time|webhook id|CRC-32 of the body`, as PayPal's guide to webhooks
   * describes.
   */
  private async isSigned(
    raw: Buffer,
    transmission: Transmission,
    sender: string,
  ): Promise<boolean> {
    const { id, time, signature, certificateUrl } = transmission;
    const certificate = await this.options.certificates.at(certificateUrl, sender);
    if (!certificate) return false;
    const checksum = crc32(raw);
    return this.options.webhookIds.some((webhookId) =>
      verify(
        'sha256',
        Buffer.from(`${id}|${time}|${webhookId}|${checksum}`),
        certificate.publicKey,
        Buffer.from(signature, 'base64'),
      ),
    );
  }
}

/** Reads the five headers of the signature; undefined unless each is present exactly once. */
function transmissionOf(headers: Record<string, unknown>): Transmission | undefined {
  const given = Object.entries(HEADERS).map(([member, name]) => [member, headers[name]] as const);
  const isWhole = given.every(([, text]) => typeof text === 'string' && HEADER_VALUE.test(text));
  return isWhole ? (Object.fromEntries(given) as unknown as Transmission) : undefined;
}

/** Whether a URL is in the certificate folder of an origin. */
function isAt(url: string, origin: string): boolean {
  const folder = `${origin}${CERTIFICATE_PATH}`;
  return url.startsWith(folder) && /^[\w-]{1,100}$/.test(url.slice(folder.length));
}

function parse(raw: Buffer): ProcessorEvent | undefined {
  try {
    const event: unknown = JSON.parse(raw.toString('utf8'));
    return typeof event === 'object' && event !== null ? eventOf(event as PaypalEvent) : undefined;
  } catch {
    return undefined;
  }
}

const rejected = (reason: CallbackRejection): CallbackVerdict => ({ verdict: 'rejected', reason });
