import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DnsServer } from '../dns/dns-server.js';
import { Connections } from './connections.js';
import { ExchangeLog } from './exchange-log.js';
import { Port43Server } from './port43-server.js';
import { RdapServer } from './rdap-server.js';
import { CLOSED_HOSTS } from './scenario.js';
import { TlsIdentities } from './tls-identities.js';

export interface SimulatedInternet {
  /**
   * Value of `LOOKUP_UPSTREAM_EXCEPTIONS`: entries `host:port=address:port`, separated by commas. A leading `*` matches
   * every host (`*.example`: every host below it) that has no entry of its own.
   */
  upstreamExceptions: string;
  /** Value of `LOOKUP_EXTRA_CA_FILE`: a PEM file that exists until the simulator stops. */
  caFile: string;
  /** Value of `LOOKUP_DNS_SERVERS`. */
  dnsServers: string;
}

export interface RegistrySimulatorOptions {
  /** The time between two bytes of a dripping answer; 200 ms by default. */
  dripIntervalMs?: number;
}

/**
 * Simulates every registry of names and numbers, every registrar and a resolver, on real loopback sockets: RDAP over
 * TLS, WHOIS on port 43 and DNS over UDP. The answer about a name depends only on the name; `registration.ts` (free,
 * reserved, redacted) and `misbehaviour.ts` list the words in a name that change the answer.
 */
export class RegistrySimulator {
  readonly exchanges = new ExchangeLog();
  private readonly identities = new TlsIdentities();
  private readonly rdap: RdapServer;
  private readonly registries: Port43Server;
  private readonly registrars: Port43Server;
  private readonly dns = new DnsServer();
  private folder: string | undefined;

  constructor({ dripIntervalMs = 200 }: RegistrySimulatorOptions = {}) {
    this.rdap = new RdapServer(this.identities, this.exchanges, dripIntervalMs);
    this.registries = new Port43Server('registry', this.exchanges, dripIntervalMs);
    this.registrars = new Port43Server('registrar', this.exchanges, dripIntervalMs);
  }

  /** Listens on four free loopback ports. @throws Error if the system refuses one. */
  async start(): Promise<SimulatedInternet> {
    this.folder = await mkdtemp(join(tmpdir(), 'registry-simulator-'));
    const caFile = join(this.folder, 'ca.pem');
    await writeFile(caFile, this.identities.authorityPem);
    const [rdap, registries, registrars, dns] = await Promise.all([
      this.rdap.listen(0),
      this.registries.listen(0),
      this.registrars.listen(0),
      this.dns.listen(),
    ]);
    const closed = await closedPort();
    const upstreamExceptions = [
      `${CLOSED_HOSTS.whois}:43=127.0.0.1:${closed}`,
      `${CLOSED_HOSTS.rdap}:443=127.0.0.1:${closed}`,
      `*.example:43=127.0.0.1:${registrars}`,
      `*:43=127.0.0.1:${registries}`,
      `*:443=127.0.0.1:${rdap}`,
    ].join(',');
    return { upstreamExceptions, caFile, dnsServers: `127.0.0.1:${dns}` };
  }

  /** Ends every connection, including connections with endless answers. */
  async stop(): Promise<void> {
    await Promise.all(
      [this.rdap, this.registries, this.registrars, this.dns].map((server) => server.close()),
    );
    if (this.folder !== undefined) await rm(this.folder, { recursive: true, force: true });
  }
}

/** Finds a port on which nothing listens, so that connections to it are refused. */
async function closedPort(): Promise<number> {
  const connections = new Connections(createServer());
  const port = await connections.listen(0);
  await connections.close();
  return port;
}
