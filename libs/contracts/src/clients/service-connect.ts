import { buildConnector } from 'undici';
import type { InternalTls, ServiceName, TlsMaterial } from '#libs/platform';

/** Extra time for the TLS handshake, which costs CPU time on both, perhaps busy, machines. */
export const HANDSHAKE_LIMIT_MS = 2_000;

export interface ServiceConnectOptions {
  audience: ServiceName;
  /** Origin of its internal listener. */
  url: string;
  /** This process's certificate, if services use TLS between them. */
  tls?: InternalTls;
  /** Its Unix socket, if it runs on the same machine; never with TLS. */
  socketPath?: string;
  /** Time limit for connecting, without the TLS handshake, in milliseconds. */
  timeoutMs: number;
}

/**
 * How undici opens a connection to a service: in plain text, or over TLS with the current certificate, and only to a
 * server whose certificate names the service.
 * @throws if this process has a certificate but the service's URL is plain HTTP.
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

/** @throws if the URL is plain HTTP. */
export function mustBeTls(audience: ServiceName, url: string): void {
  if (new URL(url).protocol === 'https:') return;
  throw new Error(`${audience}: its URL must begin with https:// where INTERNAL_TLS_FOLDER is set`);
}
