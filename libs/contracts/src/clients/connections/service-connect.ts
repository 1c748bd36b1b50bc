import { Client, type Dispatcher, Pool, buildConnector } from 'undici';
import {
  type InternalTls,
  type ServiceName,
  type ServiceOrigins,
  type TlsMaterial,
  monotonicMs,
} from '#libs/platform';
import { AddressLoad } from './address-load.js';

/** Extra time for the TLS handshake, which costs CPU time on two machines that may be busy. */
export const HANDSHAKE_LIMIT_MS = 2_000;

/** The time limit for a service's answer to a readiness check; our own readiness probe waits for that answer. */
const PROBE_LIMIT_MS = 1_000;

/** The time limit of a connection attempt, without the TLS handshake. */
const CONNECT_TIMEOUT_MS = 1_000;
const AGE_MAX_MS = 30_000;
/**
 * The minimum age at which a connection ends, as a share of the maximum. The age is random, so that connections do not
 * end all at once.
 */
const AGE_MIN_PART = 0.5;
/** After this time, an unused connection is closed, well before the 72 s after which the service would close it. */
const IDLE_MAX_MS = 15_000;

interface ServiceConnectOptions {
  audience: ServiceName;
  url: string;
  tls?: InternalTls;
  /** The service's Unix socket, if it runs on the same machine; never with TLS. */
  socketPath?: string;
}

export interface ServicePoolOptions extends ServiceConnectOptions {
  connections: number;
  /** Maximum size of an answer, in bytes; unlimited by default. */
  maxResponseSize?: number;
  /** Maximum age of a connection, in milliseconds; 30 s by default. */
  ageMaxMs?: number;
}

/**
 * Connections to a service, one call at a time on each. They expire, because a balancer places only new connections on
 * new instances. (undici's own `clientTtl` can leave calls waiting forever once all connections have expired.)
 */
export class ServicePool extends Pool {
  constructor(options: ServicePoolOptions) {
    const { audience, url, tls, socketPath, connections, maxResponseSize } = options;
    const ageMaxMs = options.ageMaxMs ?? AGE_MAX_MS;
    super(url, {
      connections,
      pipelining: 1,
      connect: connectTo({ audience, url, tls, socketPath }),
      keepAliveMaxTimeout: IDLE_MAX_MS,
      maxResponseSize,
      factory: (origin, client) => new AgeingClient(origin, client, ageMaxMs),
    });
  }
}

/**
 * A connection that expires at a random age between half of `ageMaxMs` and `ageMaxMs`: the first call after that is
 * the last, and both sides close the connection after the answer.
 */
class AgeingClient extends Client {
  private endsAtMs = Infinity;

  constructor(origin: URL, options: Client.Options, ageMaxMs: number) {
    super(origin, options);
    this.on('connect', () => {
      const part = AGE_MIN_PART + Math.random() * (1 - AGE_MIN_PART);
      this.endsAtMs = monotonicMs() + ageMaxMs * part;
    });
    // Otherwise, the first call on the next connection would also be its last.
    this.on('disconnect', () => (this.endsAtMs = Infinity));
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const isLast = monotonicMs() >= this.endsAtMs;
    return super.dispatch(isLast ? { ...options, reset: true } : options, handler);
  }
}

/**
 * Returns undici's function for connecting to a service: over plain HTTP, or over TLS with the current certificate, and
 * only to a server whose certificate names the service.
 * @throws if this process has a certificate but the service's URL is plain HTTP.
 */
function connectTo(options: ServiceConnectOptions): buildConnector.connector {
  const { audience, tls, socketPath } = options;
  const addresses = new AddressLoad();
  const { lookup } = addresses;
  let used: TlsMaterial | undefined;
  let connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, socketPath, lookup });
  const isTls = tls !== undefined && socketPath === undefined;
  if (isTls) mustBeTls(audience, options.url);
  return (target, callback) => {
    if (isTls && tls.material !== used) {
      used = tls.material;
      connect = buildConnector({
        timeout: CONNECT_TIMEOUT_MS + HANDSHAKE_LIMIT_MS,
        secureContext: used.context,
        lookup,
      });
    }
    connect(isTls ? { ...target, servername: audience } : target, (...result) => {
      const [error, socket] = result;
      if (!error) addresses.count(socket);
      callback(...result);
    });
  };
}

/** Checks that a service's URL uses TLS. @throws if the URL is plain HTTP. */
export function mustBeTls(audience: ServiceName, url: string): void {
  if (new URL(url).protocol === 'https:') return;
  throw new Error(`${audience}: its URL must begin with https:// if INTERNAL_TLS_FOLDER is set`);
}

/**
 * Returns a readiness check for each service that a public listener calls, by service name. A check throws if its
 * service does not answer.
 */
export function ownerChecks(
  origins: ServiceOrigins,
  tls?: InternalTls,
): [name: string, check: () => Promise<void>][] {
  return (Object.entries(origins) as [ServiceName, string][]).map(([audience, url]) => {
    const connect = connectTo({ audience, url, tls });
    return [audience, () => reach(new Client(url, { connect }))];
  });
}

/**
 * Checks that a service answers. Any answer is sufficient, because a service reports its own faults through its own
 * readiness.
 */
async function reach(client: Client): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_LIMIT_MS);
  try {
    const { body } = await client.request({ method: 'GET', path: '/health', signal });
    await body.dump();
  } finally {
    await client.destroy();
  }
}
