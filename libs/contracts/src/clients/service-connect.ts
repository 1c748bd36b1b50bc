import { buildConnector } from 'undici';
import type { InternalTls, ServiceName, TlsMaterial } from '#libs/platform';

export interface ServiceConnectOptions {
  audience: ServiceName;
  /** Origin of its internal listener. */
  url: string;
  /** The certificate of this process, where calls between services go over TLS. */
  tls?: InternalTls;
  /** Its Unix socket, when it runs on the same machine; never with TLS. */
  socketPath?: string;
  /** Longest until the connection is there, in milliseconds. */
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
  const { audience, tls, socketPath, timeoutMs: timeout } = options;
  if (!tls || socketPath) return { timeout, ...(socketPath && { socketPath }) };
  mustBeTls(audience, options.url);
  let used: TlsMaterial | undefined;
  let connect: buildConnector.connector;
  return (target, callback) => {
    const { material } = tls;
    if (material !== used) {
      used = material;
      connect = buildConnector({ timeout, secureContext: material.context });
    }
    connect({ ...target, servername: audience }, callback);
  };
}

/** @throws when the URL is a plain one. */
export function mustBeTls(audience: ServiceName, url: string): void {
  if (new URL(url).protocol === 'https:') return;
  throw new Error(`${audience}: its URL must begin with https:// where INTERNAL_TLS_FOLDER is set`);
}
