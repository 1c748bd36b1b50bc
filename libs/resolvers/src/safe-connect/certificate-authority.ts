import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

export interface IssuedCertificate {
  keyPem: string;
  certificatePem: string;
}

export interface CertificateTerms {
  /** The two-digit year in which the certificate expires; by default, 49 (2049). */
  expiryYear?: number;
  /** By default, `ec`. */
  keyType?: 'ec' | 'rsa';
}

const RSA_BITS = 2_048;

/**
 * A certificate authority that exists only in memory. Simulators and tests use it to serve TLS under the names of real
 * registries; `certificatePem` is passed as `extraCaPem`. It encodes X.509 v3 certificates (RFC 5280) itself, because
 * Node cannot create certificates, and the libraries that can are asynchronous.
 */
export class CertificateAuthority {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly certificatePem: string;

  constructor(private readonly name = 'Throw-away authority') {
    // basicConstraints (critical): CA.
    const constraints = extension('2.5.29.19', sequence(der(0x01, Buffer.from([0xff]))), true);
    this.certificatePem = this.issue(name, this.keys.publicKey, constraints, {});
  }

  certificateFor(hosts: readonly string[], terms: CertificateTerms = {}): IssuedCertificate {
    const keys =
      terms.keyType === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: RSA_BITS })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    // subjectAltName: dNSName entries.
    const names = sequence(...hosts.map((host) => der(0x82, Buffer.from(host, 'ascii'))));
    const extensions = extension('2.5.29.17', names, false);
    return {
      keyPem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      certificatePem: this.issue(hosts[0] ?? '', keys.publicKey, extensions, terms),
    };
  }

  private issue(
    subject: string,
    publicKey: KeyObject,
    extensions: Buffer,
    { expiryYear = 49 }: CertificateTerms,
  ): string {
    const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
    const expiry = `${String(expiryYear).padStart(2, '0')}0101000000Z`;
    const body = sequence(
      der(0xa0, der(0x02, Buffer.from([2]))), // version 3
      der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])), // serial number
      ecdsaWithSha256,
      commonName(this.name),
      sequence(utcTime('200101000000Z'), utcTime(expiry)),
      commonName(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      der(0xa3, sequence(extensions)),
    );
    const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, this.keys.privateKey)]);
    const certificate = sequence(body, ecdsaWithSha256, der(0x03, signature));
    const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
    return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  }
}

/** Returns a DER element: tag, length, content (X.690 §8.1). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
}

function sequence(...elements: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(elements));
}

function utcTime(text: string): Buffer {
  return der(0x17, Buffer.from(text, 'ascii'));
}

function commonName(name: string): Buffer {
  const attribute = sequence(objectIdentifier('2.5.4.3'), der(0x0c, Buffer.from(name)));
  return sequence(der(0x31, attribute));
}

function extension(id: string, value: Buffer, isCritical: boolean): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.from([0xff]))] : [];
  return sequence(objectIdentifier(id), ...critical, der(0x04, value));
}

function objectIdentifier(id: string): Buffer {
  const [first = 0, second = 0, ...rest] = id.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(0x06, Buffer.from(bytes));
}
