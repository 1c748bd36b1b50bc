import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IpAddress, parseIpAddress } from '#libs/domain-names';
import { NumberRegistries, Registries } from '#libs/resolvers';
import { type Daemon, missingPrograms } from '../dns/daemon.js';
import { startNsd } from '../dns/nsd.js';
import { startUnbound } from '../dns/unbound.js';
import { signZone } from '../dns/zone-signing.js';
import { ExchangeLog } from '../registry/exchange-log.js';
import { Port43Server } from '../registry/port43-server.js';
import { RdapServer } from '../registry/rdap-server.js';
import { availabilityOf, registrationOf } from '../registrations/registration.js';
import type { SimulatedInternet } from '../registry/registry-simulator.js';
import { TlsIdentities } from '../registry/tls-identities.js';
import { LoopbackNetwork } from './loopback-network.js';
import { type Level, type Zone, ROOT_SERVER, zoneTree } from './zone-tree.js';

const PROGRAMS = ['nsd', 'unbound', 'ldns-keygen', 'ldns-signzone'];
const PORTS = { whois: 43, dns: 53, rdap: 443 };
const DRIP_INTERVAL_MS = 200;

export interface InternetContents {
  /** Names that may be queried; `registration.ts` decides which of them are registered. */
  domains: readonly string[];
  /** Addresses that have names and an owner. */
  addresses: readonly string[];
  /** Regional registries (`NumberRoute.registry`) whose RDAP service does not answer, but whose port 43 does. */
  withoutRdap?: readonly string[];
}

/**
 * Simulates the internet that a lookup needs, on the standard ports of a block of loopback addresses. NSD serves a
 * signed root, top-level domains and reverse zones, and a validating Unbound follows their delegations. Each registry,
 * registrar and regional registry has its port-43 and RDAP hosts under their real names. All hosts report the same
 * facts about a registered name.
 */
export class FakeInternet {
  readonly exchanges = new ExchangeLog();
  readonly hosts = new Map<string, string>();
  private readonly identities = new TlsIdentities();
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'fake-internet-'));
  private readonly exceptions: string[] = [];

  private constructor(
    private readonly network: LoopbackNetwork,
    private readonly contents: InternetContents,
  ) {}

  /** The reason why this machine cannot run the simulation; undefined if it can. */
  static get missing(): string | undefined {
    const programs = missingPrograms(PROGRAMS);
    if (programs.length > 0) return `no ${programs.join(', ')} on this machine`;
    return LoopbackNetwork.missing;
  }

  /** Starts all parts. @throws Error if a part does not start; the others are then stopped. */
  static async start(
    contents: InternetContents,
  ): Promise<{ internet: FakeInternet; settings: SimulatedInternet }> {
    const internet = new FakeInternet(await LoopbackNetwork.take(), contents);
    try {
      return { internet, settings: await internet.open() };
    } catch (error) {
      await internet.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.stops.splice(0).map((stop) => stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async open(): Promise<SimulatedInternet> {
    const caFile = join(this.folder, 'ca.pem');
    writeFileSync(caFile, this.identities.authorityPem);
    await this.openHosts();
    const resolver = await this.openNames();
    const deadEnds = [PORTS.whois, PORTS.rdap].map(
      (port) => `*:${port}=${this.network.deadEnd}:${port}`,
    );
    const upstreamExceptions = [...this.exceptions, ...deadEnds].join(',');
    return { upstreamExceptions, caFile, dnsServers: `${resolver}:${PORTS.dns}` };
  }

  private async openHosts(): Promise<void> {
    const registries = Registries.vendored();
    const numbers = NumberRegistries.vendored();
    for (const domain of this.contents.domains) {
      const { rdapBaseUrl, whoisServer } = registries.route(domain);
      if (rdapBaseUrl) await this.openRdap(new URL(rdapBaseUrl).hostname);
      if (whoisServer) await this.openWhois(whoisServer, 'registry');
      const { registrarWhoisServer, registrarRdapUrl } = registrationOf(domain);
      await this.openWhois(registrarWhoisServer, 'registrar');
      await this.openRdap(new URL(registrarRdapUrl).hostname);
    }
    for (const ip of this.addresses()) {
      const prefixLength = ip.version === 4 ? 32 : 128;
      const route = numbers.routeOfBlock({ ...ip, prefixLength });
      if (route === undefined) continue;
      await this.openWhois(route.whoisServer, 'registry');
      if (this.contents.withoutRdap?.includes(route.registry)) continue;
      await this.openRdap(new URL(route.rdapBaseUrl).hostname);
    }
  }

  private async openWhois(host: string, role: 'registry' | 'registrar'): Promise<void> {
    const server = new Port43Server(role, this.exchanges, DRIP_INTERVAL_MS);
    await this.openHost(host, PORTS.whois, server);
  }

  private async openRdap(host: string): Promise<void> {
    const server = new RdapServer(this.identities, this.exchanges, DRIP_INTERVAL_MS);
    await this.openHost(host, PORTS.rdap, server);
  }

  /** Opens a host; a host that two registries share is opened once. */
  private async openHost(
    host: string,
    port: number,
    server: Port43Server | RdapServer,
  ): Promise<void> {
    const address = this.hosts.get(host) ?? this.network.next();
    const exception = `${host}:${port}=${address}:${port}`;
    if (this.exceptions.includes(exception)) return;
    await server.listen(port, address);
    this.stops.push(() => server.close());
    this.hosts.set(host, address);
    this.exceptions.push(exception);
  }

  /** Starts the name servers and the resolver. @returns the resolver's address. */
  private async openNames(): Promise<string> {
    const servers = {
      root: this.network.next(),
      registry: this.network.next(),
      hosting: this.network.next(),
    };
    const zones = zoneTree({
      domains: this.contents.domains.filter((name) => availabilityOf(name) === 'registered'),
      addresses: this.addresses(),
      hosts: this.hosts,
      servers,
    });
    const written = this.writeZones(zones);
    for (const [level, address] of Object.entries(servers)) {
      const own = zones.filter((zone) => zone.level === level);
      const zoneFiles = Object.fromEntries(own.map(({ name }) => [name, written.files[name]!]));
      const endpoint = { address, port: PORTS.dns };
      this.keep(await startNsd({ folder: this.subfolder(level as Level), endpoint, zoneFiles }));
    }
    const address = this.network.next();
    const rootHintsFile = join(this.folder, 'root.hints');
    writeFileSync(
      rootHintsFile,
      `. 3600000 NS ${ROOT_SERVER}.\n${ROOT_SERVER}. 3600000 A ${servers.root}\n`,
    );
    this.keep(
      await startUnbound({
        folder: this.subfolder('resolver'),
        endpoint: { address, port: PORTS.dns },
        rootHintsFile,
        trustAnchorFiles: [written.rootDsFile],
      }),
    );
    return address;
  }

  /**
   * Writes and signs zones, children first, because a parent must contain its children's DS records before it is
   * signed.
   */
  private writeZones(zones: readonly Zone[]): {
    files: Record<string, string>;
    rootDsFile: string;
  } {
    const folder = this.subfolder('zones');
    const files: Record<string, string> = {};
    const dsRecords = new Map<string, string[]>();
    let rootDsFile = '';
    zones.forEach(({ name, text, parent, isSigned }, index) => {
      const file = join(folder, `${index}.zone`);
      writeFileSync(file, [text, ...(dsRecords.get(name) ?? []), ''].join('\n'));
      files[name] = file;
      if (!isSigned) return;
      const signed = signZone(folder, name, file);
      files[name] = signed.file;
      if (parent === undefined) rootDsFile = signed.dsFile;
      else dsRecords.set(parent, [...(dsRecords.get(parent) ?? []), signed.dsRecord]);
    });
    return { files, rootDsFile };
  }

  private addresses(): IpAddress[] {
    return this.contents.addresses.map((text) => {
      const parsed = parseIpAddress(text);
      if (!parsed.ok) throw new Error(`${text} is not an address`);
      return parsed.ip;
    });
  }

  private subfolder(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  private keep(daemon: Daemon): void {
    this.stops.push(() => daemon.stop());
  }
}
