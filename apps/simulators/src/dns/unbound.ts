import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon, type Endpoint } from './daemon.js';

export interface UnboundOptions {
  folder: string;
  endpoint: Endpoint;
  /** File with the root servers; without it, Unbound asks the real ones about names outside the stub zones. */
  rootHintsFile?: string;
  /** The servers of individual zones, which are queried directly, without following delegations. */
  stubs?: Readonly<Record<string, Endpoint>>;
  /** Files with the DS records that the resolver trusts. */
  trustAnchorFiles?: readonly string[];
  /** Reverse zones of documentation addresses that Unbound queries; by default, it denies them without a query. */
  askedZones?: readonly string[];
}

/** Starts Unbound as a resolver that also queries servers on loopback addresses. @throws Error if it does not start. */
export async function startUnbound(options: UnboundOptions): Promise<Daemon> {
  const { folder, endpoint, rootHintsFile, stubs = {} } = options;
  const { trustAnchorFiles = [], askedZones = [] } = options;
  const stubZones = Object.entries(stubs).map(
    ([zone, { address, port }]) => `stub-zone:\n  name: ${zone}\n  stub-addr: ${address}@${port}\n`,
  );
  const more = [
    ...(rootHintsFile === undefined ? [] : [`root-hints: "${rootHintsFile}"`]),
    ...askedZones.map((zone) => `local-zone: "${zone}." nodefault`),
    ...trustAnchorFiles.map((file) => `trust-anchor-file: "${file}"`),
  ];
  const settings = `server:
  interface: ${endpoint.address}
  port: ${endpoint.port}
  num-threads: 1
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  do-not-query-localhost: no
  unblock-lan-zones: yes
  insecure-lan-zones: yes
  module-config: "validator iterator"
${more.map((line) => `  ${line}\n`).join('')}remote-control:
  control-enable: no
${stubZones.join('')}`;
  const file = join(folder, 'unbound.conf');
  writeFileSync(file, settings);
  return Daemon.start('unbound', ['-d', '-c', file], endpoint);
}
