import { createSecureContext, type SecureContext } from 'node:tls';
import { CertificateAuthority } from '#libs/resolvers';

const CONTEXTS_MAX = 500;
const LONG_AGO = 21;

/**
 * Issues a certificate for any host name that a client requests. Hosts whose first label is `expired` get a certificate
 * that expired in 2021; hosts whose first label is `untrusted` get a certificate of an unknown authority.
 */
export class TlsIdentities {
  private readonly authority = new CertificateAuthority('Registry simulator');
  private readonly stranger = new CertificateAuthority('Registry simulator');
  private readonly contexts = new Map<string, SecureContext>();

  get authorityPem(): string {
    return this.authority.certificatePem;
  }

  /** Returns the identity for a host name, issued at first use and kept while there is room. */
  contextFor(host: string): SecureContext {
    const known = this.contexts.get(host);
    if (known !== undefined) return known;
    if (this.contexts.size >= CONTEXTS_MAX) this.contexts.clear();
    const signer = host.startsWith('untrusted.') ? this.stranger : this.authority;
    const terms = host.startsWith('expired.') ? { expiryYear: LONG_AGO } : {};
    const { keyPem, certificatePem } = signer.certificateFor([host], terms);
    const context = createSecureContext({ key: keyPem, cert: certificatePem });
    this.contexts.set(host, context);
    return context;
  }
}
