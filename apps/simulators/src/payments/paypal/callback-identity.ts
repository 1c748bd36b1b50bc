import { randomUUID, sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CertificateAuthority, type IssuedCertificate } from '#libs/resolvers';
import type { Clock } from '#libs/platform';

const SUBJECT = 'messageverificationcerts.sandbox.paypal.com';
const CERTIFICATE_ID = 'CERT-simulator-0001';

export class CallbackIdentity {
  private readonly authority = new CertificateAuthority('Payments simulator');
  private made?: IssuedCertificate;

  constructor(
    private readonly clock: Clock,
    private readonly apiUrl: () => string,
  ) {}

  get authorityPem(): string {
    return this.authority.certificatePem;
  }

  get certificatePem(): string {
    return this.issued.certificatePem;
  }

  /** Creates the key when it is first needed, because generating an RSA key is slow. */
  private get issued(): IssuedCertificate {
    return (this.made ??= this.authority.certificateFor([SUBJECT], { keyType: 'rsa' }));
  }

  certificatePath(): string {
    return `/v1/notifications/certs/${CERTIFICATE_ID}`;
  }

  /** Returns the headers that PayPal would send now with this body to the endpoint with this id. */
  headersFor(body: string | Buffer, webhookId: string): Record<string, string> {
    const id = randomUUID();
    const time = this.clock
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    const signed = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`);
    return {
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': sign('sha256', signed, this.issued.keyPem).toString('base64'),
      'paypal-cert-url': `${this.apiUrl()}${this.certificatePath()}`,
      'paypal-auth-algo': 'SHA256withRSA',
    };
  }
}
