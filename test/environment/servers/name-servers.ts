import { freePorts } from '#libs/platform';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Daemon,
  type Endpoint,
  missingPrograms,
} from '../../../apps/simulators/src/dns/daemon.js';
import { startNsd } from '../../../apps/simulators/src/dns/nsd.js';
import { startUnbound } from '../../../apps/simulators/src/dns/unbound.js';
import { signZone } from '../../../apps/simulators/src/dns/zone-signing.js';

const PROGRAMS = ['nsd', 'unbound', 'ldns-keygen', 'ldns-signzone', 'dig'];

/** Returns the reason why no name servers can be started on this machine, or undefined if they can. */
export function nameServerAvailability(): string | undefined {
  const missing = missingPrograms(PROGRAMS);
  return missing.length === 0 ? undefined : `no ${missing.join(', ')} on this machine`;
}

export interface NameServersOptions {
  folder: string;
  /** The contents of each zone file, by the zone's name without the final dot. */
  zones: Record<string, string>;
  /** The signed zones, whose keys the resolver trusts. */
  signed?: readonly string[];
  /** Zones that the resolver forwards to the authoritative server, which does not serve them. */
  lame?: readonly string[];
}

/** An authoritative NSD with a test's own zones, and a validating Unbound in front of it, both on loopback. */
export class NameServers {
  private readonly daemons: Daemon[] = [];

  private constructor(
    readonly authoritative: string,
    readonly resolver: string,
  ) {}

  static async start(options: NameServersOptions): Promise<NameServers> {
    const { folder, zones, signed = [], lame = [] } = options;
    mkdirSync(folder, { recursive: true });
    const [authority, resolver] = (await freePorts(2)).map((port): Endpoint => ({
      address: '127.0.0.1',
      port,
    }));
    const zoneFiles: Record<string, string> = {};
    const trustAnchorFiles: string[] = [];
    for (const [zone, text] of Object.entries(zones)) {
      const file = join(folder, `${zone}.zone`);
      writeFileSync(file, text);
      zoneFiles[zone] = file;
      if (!signed.includes(zone)) continue;
      const { file: signedFile, dsFile } = signZone(folder, zone, file);
      zoneFiles[zone] = signedFile;
      trustAnchorFiles.push(dsFile);
    }
    const servers = new NameServers(labelOf(authority), labelOf(resolver));
    servers.daemons.push(await startNsd({ folder, endpoint: authority, zoneFiles }));
    // Names outside the zones are refused here too, so that Unbound never queries the real root servers.
    const stubbed = ['.', ...Object.keys(zones), ...lame];
    servers.daemons.push(
      await startUnbound({
        folder,
        endpoint: resolver,
        stubs: Object.fromEntries(stubbed.map((zone) => [zone, authority])),
        trustAnchorFiles,
        askedZones: ['2.0.192.in-addr.arpa'],
      }),
    );
    return servers;
  }

  async stop(): Promise<void> {
    await Promise.all(this.daemons.map((daemon) => daemon.stop()));
  }
}

const labelOf = ({ address, port }: Endpoint) => `${address}:${port}`;
