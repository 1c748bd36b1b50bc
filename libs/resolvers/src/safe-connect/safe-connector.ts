import { promises as dns } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { limitAnswers } from './answer-limits.js';
import { isBlockedAddress } from './blocked-addresses.js';
import { ConnectionError, type ConnectionFault } from './connection-error.js';
import { Deadline } from './deadline.js';
import { isHostName } from './host-name.js';
import { PORTS_BY_PURPOSE, speaksTls, type ConnectPurpose } from './purposes.js';
import { openTcp, openTls } from './sockets.js';
import { exceptionFor, type UpstreamException } from './upstream-exceptions.js';
import type { WayOut } from './way-out.js';

export interface SafeConnectorOptions {
  /** Hosts that are reached at a fixed address, which may be a private one; empty by default. */
  exceptions?: readonly UpstreamException[];
  /** PEM certificates that are trusted in addition to those of the system. */
  extraCaPem?: string;
  /** `address:port` of name servers; by default, those of the system. */
  dnsServers?: readonly string[];
  wayOut?: WayOut;
}

export interface ConnectLimits {
  /** The time limit for resolving, connecting and TLS together. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** The maximum number of bytes per answer, including its header and framing; unlimited by default. */
  answerBytesMax?: number;
}

/** Maximum number of a name's addresses that are tried. All addresses are checked. */
const ADDRESSES_TRIED_MAX = 6;

/**
 * Errors of a connection that suggest that the internet cannot be reached. A refused connection does not, because the
 * host has answered.
 */
const NOT_REACHED: ReadonlySet<ConnectionFault> = new Set([
  'unresolved',
  'unreachable',
  'connect_timeout',
]);

/**
 * TLS contexts by their additional certificates, in PEM. Connectors share them, because Node parses all default
 * certificates for each context.
 */
const CONTEXTS = new Map<string | undefined, SecureContext>();

/** The only way to connect to targets that outsiders can influence. */
export class SafeConnector {
  private readonly exceptions: ReadonlyMap<string, UpstreamException>;
  private readonly resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
  private readonly secureContext: SecureContext;
  private readonly wayOut?: WayOut;

  constructor(options: SafeConnectorOptions = {}) {
    const exceptions = options.exceptions ?? [];
    this.wayOut = options.wayOut;
    this.exceptions = new Map(exceptions.map((entry) => [`${entry.host}:${entry.port}`, entry]));
    if (options.dnsServers !== undefined) this.resolver.setServers(options.dnsServers);
    this.secureContext = contextFor(options.extraCaPem);
  }

  /**
   * Connects to `host` for one purpose, with TLS if the purpose requires it. The name is resolved once, all its
   * addresses must be public, and the connection goes to one of them. A name server that changes its answer between
   * check and use therefore gains nothing. The address of an operator's exception is used without these checks.
   *
   * @throws ConnectionError `bad_host`, `blocked_port`, `blocked_address`, `unresolved`, … .
   */
  async safeConnect(
    host: string,
    port: number,
    purpose: ConnectPurpose,
    limits: ConnectLimits,
  ): Promise<Socket> {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (isIP(name) === 0 && !isHostName(name)) throw new ConnectionError('bad_host');
    if (!PORTS_BY_PURPOSE[purpose].includes(port)) throw new ConnectionError('blocked_port');
    const ended = endOf(limits);
    try {
      const tcp = await this.connect(name, port, ended.signal);
      const socket = speaksTls(purpose)
        ? await openTls(name, tcp, this.secureContext, ended.signal)
        : tcp;
      const { answerBytesMax } = limits;
      return answerBytesMax === undefined ? socket : limitAnswers(socket, answerBytesMax);
    } finally {
      ended.clear();
    }
  }

  private async connect(name: string, port: number, signal: AbortSignal): Promise<Socket> {
    const exception = exceptionFor(this.exceptions, name, port);
    try {
      const socket =
        exception === undefined
          ? await openTcp(name, await this.addressesOf(name, signal), port, signal)
          : await openTcp(name, [exception.address], exception.addressPort, signal);
      this.wayOut?.reached();
      return socket;
    } catch (error) {
      if (NOT_REACHED.has(ConnectionError.from(error).fault)) this.wayOut?.notReached(name);
      throw error;
    }
  }

  private async addressesOf(name: string, signal: AbortSignal): Promise<string[]> {
    const addresses = isIP(name) === 0 ? await this.resolve(name, signal) : [name];
    if (addresses.length === 0) throw new ConnectionError('unresolved');
    if (addresses.some(isBlockedAddress)) throw new ConnectionError('blocked_address');
    return addresses.slice(0, ADDRESSES_TRIED_MAX);
  }

  private async resolve(name: string, signal: AbortSignal): Promise<string[]> {
    signal.throwIfAborted();
    // Under packet loss, the resolver exceeds its own timeouts, so the deadline runs in parallel.
    const aborted = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    const queries = [this.resolver.resolve4(name), this.resolver.resolve6(name)];
    const answers = await Promise.race([Promise.allSettled(queries), aborted]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }
}

function endOf({ timeoutMs, signal }: ConnectLimits): Deadline {
  return new Deadline(timeoutMs, 'connect_timeout', signal);
}

function contextFor(extraCaPem: string | undefined): SecureContext {
  const known = CONTEXTS.get(extraCaPem);
  if (known) return known;
  // Without `ca`, the context shares one store of the default certificates with others.
  const ca = extraCaPem === undefined ? undefined : [...getCACertificates('default'), extraCaPem];
  const context = createSecureContext({ ca, minVersion: 'TLSv1.2' });
  CONTEXTS.set(extraCaPem, context);
  return context;
}
