import { getServers } from 'node:dns';
import { AccountPlaces, monotonicMs } from '#libs/platform';
import type { WayOut } from '../safe-connect/way-out.js';
import { DnsFault } from './dns-fault.js';
import type { DnsMessage, DnsType } from './dns-record.js';
import { askByTcp } from './tcp-exchange.js';
import { UdpServer } from './udp-server.js';

export interface DnsClientOptions {
  /** The resolvers as `address`, `address:port` or `[address]:port`; by default, those of the system. */
  servers?: readonly string[];
  /** The time limit of one attempt in milliseconds, two seconds by default. */
  tryTimeoutMs?: number;
  /** Maximum number of attempts, three by default; the servers take turns. */
  tries?: number;
  /**
   * Maximum number of running queries, 20,000 by default. A query is rejected at once if its account gets no place (see
   * `AccountPlaces`).
   */
  inFlightMax?: number;
  wayOut?: WayOut;
}

export interface AskOptions {
  /** The time limit for all attempts together. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** The account on whose behalf the query is sent. */
  asker?: string;
}

export interface DnsAnswer extends DnsMessage {
  /** `address:port` of the resolver. */
  server: string;
  protocol: 'udp' | 'tcp';
  latencyMs: number;
}

const DNS_PORT = 53;
const ROOT = '.';
const TRY_TIMEOUT_MS = 2_000;
const TRIES = 3;
/** One account can have half of them. */
const IN_FLIGHT_MAX = 20_000;
/** Response codes after which another server is queried, because it may have a better answer. */
const TRY_ANOTHER: ReadonlySet<string> = new Set(['servfail', 'refused', 'formerr', 'notimp']);

interface Server {
  label: string;
  address: string;
  port: number;
  udp: UdpServer;
  /** False after the server has rejected EDNS. */
  hasEdns: boolean;
}

/**
 * Queries resolvers over UDP, or over TCP if an answer does not fit or may be forged, and returns data that `node:dns`
 * hides: TTLs, response codes, and whether signatures were checked.
 */
export class DnsClient {
  private readonly servers: Server[];
  private readonly tryTimeoutMs: number;
  private readonly tries: number;
  private readonly wayOut?: WayOut;
  private first = 0;
  /**
   * Names whose servers do not answer occupy a place for seconds, and accounts that query many of them could take all.
   */
  private readonly places: AccountPlaces;

  constructor(options: DnsClientOptions = {}) {
    const servers = options.servers?.length ? options.servers : getServers();
    this.servers = servers.map(serverAt);
    this.tryTimeoutMs = options.tryTimeoutMs ?? TRY_TIMEOUT_MS;
    this.tries = Math.max(options.tries ?? TRIES, 1);
    this.wayOut = options.wayOut;
    this.places = new AccountPlaces(options.inFlightMax ?? IN_FLIGHT_MAX);
  }

  /**
   * Queries one type. An error such as SERVFAIL counts as an answer if no server that was tried sent a better one.
   * @param name a valid name in lower case, without the final dot.
   * @throws DnsFault if there is no answer.
   */
  async ask(name: string, type: DnsType, options: AskOptions): Promise<DnsAnswer> {
    if (this.servers.length === 0) throw new DnsFault('unreachable');
    const { asker = '' } = options;
    if (!this.places.take(asker)) throw new DnsFault('busy');
    try {
      return await this.askInTurn(name, type, options);
    } finally {
      this.places.leave(asker);
    }
  }

  close(): void {
    for (const { udp } of this.servers) udp.close();
  }

  private async askInTurn(name: string, type: DnsType, options: AskOptions): Promise<DnsAnswer> {
    const untilMs = monotonicMs() + options.timeoutMs;
    this.first = (this.first + 1) % this.servers.length;
    const first = this.first;
    let fault: DnsFault | undefined;
    let refused: DnsAnswer | undefined;
    for (let i = 0; i < this.tries; i++) {
      const server = this.servers[(first + i) % this.servers.length];
      const timeoutMs = Math.min(this.tryTimeoutMs, untilMs - monotonicMs());
      if (timeoutMs <= 0) break;
      try {
        const answer = await askServer(server, name, type, { ...options, timeoutMs });
        // Other answers prove nothing: without an internet connection, a local resolver answers SERVFAIL or NXDOMAIN.
        if (answer.rcode === 'noerror') this.wayOut?.reached();
        if (answer.rcode === 'nxdomain') {
          await this.checkRoot(server, { ...options, timeoutMs: untilMs - monotonicMs() });
        }
        if (!TRY_ANOTHER.has(answer.rcode)) return answer;
        refused = answer;
      } catch (error) {
        if (!(error instanceof DnsFault) || error.kind === 'cancelled') throw error;
        this.wayOut?.notReached(server.label);
        fault = error;
      }
    }
    if (refused !== undefined) return refused;
    throw fault ?? new DnsFault('timeout');
  }

  /**
   * Checks that the resolver does not deny the existence of the root; such a resolver denies every name. The root is
   * queried only while no server has been reached for minutes.
   * @throws DnsFault if the root is denied, or if there is no answer.
   */
  private async checkRoot(server: Server, options: AskOptions): Promise<void> {
    if (!this.wayOut || this.wayOut.isProven) return;
    const timeoutMs = Math.min(this.tryTimeoutMs, options.timeoutMs);
    if (timeoutMs <= 0) throw new DnsFault('timeout');
    const { rcode } = await askServer(server, ROOT, 'NS', { ...options, timeoutMs });
    if (rcode === 'noerror') this.wayOut.reached();
    if (rcode !== 'nxdomain') return;
    this.wayOut.deniedRoot();
    throw new DnsFault('unreachable');
  }
}

async function askServer(
  server: Server,
  name: string,
  type: DnsType,
  { timeoutMs, signal }: AskOptions,
): Promise<DnsAnswer> {
  const startedMs = monotonicMs();
  const { udp, label, address, port } = server;
  let { hasEdns } = server;
  const answered = (message: DnsMessage, protocol: 'udp' | 'tcp'): DnsAnswer =>
    Object.assign(message, { server: label, protocol, latencyMs: monotonicMs() - startedMs });
  let answer = await udp.ask({ name, type, hasEdns, timeoutMs, signal });
  const isEdnsRefused =
    'message' in answer && ['formerr', 'notimp'].includes(answer.message.rcode) && hasEdns;
  if (isEdnsRefused) {
    hasEdns = false;
    answer = await udp.ask({ name, type, hasEdns, timeoutMs, signal });
    // EDNS counts as rejected only if the server answers without EDNS; otherwise, the server may reject the query
    // itself.
    if ('message' in answer && answer.message.rcode === 'noerror') server.hasEdns = false;
  }
  if ('message' in answer && !answer.message.isTruncated) return answered(answer.message, 'udp');
  return answered(await askByTcp({ address, port, name, type, hasEdns, timeoutMs, signal }), 'tcp');
}

/** Parses the address of a server. @throws RangeError for text that is not an address, with or without a port. */
function serverAt(text: string): Server {
  const match = /^(?:\[([^\]]+)\]|([\d.]+)|([\da-fA-F:.]+))(?::(\d+))?$/.exec(text);
  const address = match?.[1] ?? match?.[2] ?? match?.[3];
  if (address === undefined) throw new RangeError(`${text} is not the address of a name server`);
  const port = match?.[4] === undefined ? DNS_PORT : Number(match[4]);
  const label = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  return { label, address, port, udp: new UdpServer(address, port), hasEdns: true };
}
