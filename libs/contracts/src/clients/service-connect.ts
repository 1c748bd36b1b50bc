import { Client, buildConnector } from 'undici';
import type { InternalTls, ServiceName, ServiceOrigins, TlsMaterial } from '#libs/platform';

/** Extra time for the TLS handshake, which costs CPU time on both, perhaps busy, machines. */
export const HANDSHAKE_LIMIT_MS = 2_000;

/** A probe waits for this answer. */
const PROBE_LIMIT_MS = 1_000;

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

/** Checks by the names of the services that a public listener asks: each throws when that service does not answer. */
export function ownerChecks(
  origins: ServiceOrigins,
  tls?: InternalTls,
): [name: string, check: () => Promise<void>][] {
  return (Object.entries(origins) as [ServiceName, string][]).map(([audience, url]) => {
    const connect = connectTo({ audience, url, tls, timeoutMs: PROBE_LIMIT_MS });
    return [audience, () => reach(new Client(url, { connect }))];
  });
}

/** Any answer will do: its own faults belong to its own readiness. */
async function reach(client: Client): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_LIMIT_MS);
  try {
    const { body } = await client.request({ method: 'GET', path: '/health', signal });
    await body.dump();
  } finally {
    await client.destroy();
  }
}
