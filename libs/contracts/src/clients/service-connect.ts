import { buildConnector } from 'undici';
import type { InternalTls, ServiceName, TlsMaterial } from '#libs/platform';

/** What a handshake may take beyond the connection itself: both ends compute, perhaps on busy machines. */
export const HANDSHAKE_LIMIT_MS = 2_000;

export interface ServiceConnectOptions {
  audience: ServiceName;
  /** Origin of its internal listener. */
  url: string;
  /** The certificate of this process, where calls between services go over TLS. */
  tls?: InternalTls;
  /** Its Unix socket, when it runs on the same machine; never with TLS. */
  socketPath?: string;
  /** Longest until the connection is there, without the handshake of TLS, in milliseconds. */
  timeoutMs: number;
}

/**
 * How undici opens a connection to a service: plainly; or over TLS, with the certificate that holds at that moment,
 * to nobody but whose certificate is for the service's name.
 * @throws when this process has a certificate and the service is named by a plain URL.
 */
export function connectTo(
  options: ServiceConnectOptions,
): buildConnector.BuildOptions | buildConnector.connector {
  const { audience, tls, socketPath, timeoutMs } = options;
  if (!tls || socketPath) return { timeout: timeoutMs, ...(socketPath && { socketPath }) };
  mustBeTls(audience, options.url);
  let used: TlsMaterial | undefined;
  let connect: buildConnector.connector;
  return (target, callback) => {
    const { material } = tls;
    if (material !== used) {
      used = material;
      connect = buildConnector({
        timeout: timeoutMs + HANDSHAKE_LIMIT_MS,
        secureContext: material.context,
      });
    }
    connect({ ...target, servername: audience }, callback);
  };
}

/** @throws when the URL is a plain one. */
export function mustBeTls(audience: ServiceName, url: string): void {
  if (new URL(url).protocol === 'https:') return;
  throw new Error(`${audience}: its URL must begin with https:// where INTERNAL_TLS_FOLDER is set`);
}
