import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon, type Endpoint } from './daemon.js';

export interface NsdOptions {
  folder: string;
  endpoint: Endpoint;
  /** Path of each zone's file, by zone name (`.` for the root). */
  zoneFiles: Readonly<Record<string, string>>;
}

/** Serves zones with NSD. @throws Error if it does not start. */
export async function startNsd({ folder, endpoint, zoneFiles }: NsdOptions): Promise<Daemon> {
  const zones = Object.entries(zoneFiles).map(
    ([zone, file]) => `zone:\n  name: ${zone}\n  zonefile: "${file}"\n`,
  );
  const settings = `server:
  ip-address: ${endpoint.address}@${endpoint.port}
  username: ""
  pidfile: ""
  xfrdfile: "${folder}/xfrd.state"
  zonelistfile: "${folder}/zone.list"
  server-count: 1
  minimal-responses: yes
remote-control:
  control-enable: no
${zones.join('')}`;
  const file = join(folder, 'nsd.conf');
  writeFileSync(file, settings);
  return Daemon.start('nsd', ['-d', '-c', file], endpoint);
}
