import { freePorts } from '#libs/platform';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { waitFor } from '../wait.js';

/** What is needed of Debian: an authoritative server, a resolver, and the tools that sign a zone. */
const PROGRAMS = ['nsd', 'unbound', 'ldns-keygen', 'ldns-signzone', 'dig'];
const PATH = `${process.env.PATH ?? ''}:/usr/sbin`;
const ALGORITHM = 'ECDSAP256SHA256';

/** Why no name servers can be started on this machine; undefined when they can. */
export function nameServerAvailability(): string | undefined {
  const missing = PROGRAMS.filter(
    (program) => spawnSync('which', [program], { env: { PATH } }).status !== 0,
  );
  return missing.length === 0 ? undefined : `no ${missing.join(', ')} on this machine`;
}

export interface NameServersOptions {
  folder: string;
  /** Text of each zone's file, by its name without the final dot. */
  zones: Record<string, string>;
  /** Zones of the above that are signed, and trusted by the resolver. */
  signed?: readonly string[];
  /** Zones that the resolver is told to ask the authoritative server for, which has none of them. */
  lame?: readonly string[];
}

/** An authoritative NSD and a validating Unbound in front of it, on loopback, for zones of a test's own. */
export class NameServers {
  private readonly processes: ChildProcess[] = [];

  private constructor(
    private readonly folder: string,
    /** `127.0.0.1:port` of the server that has the zones. */
    readonly authoritative: string,
    /** `127.0.0.1:port` of the resolver. */
    readonly resolver: string,
  ) {}

  static async start(options: NameServersOptions): Promise<NameServers> {
    const { folder, zones, signed = [], lame = [] } = options;
    mkdirSync(folder, { recursive: true });
    const [authoritativePort, resolverPort] = await freePorts(2);
    const servers = new NameServers(
      folder,
      `127.0.0.1:${authoritativePort}`,
      `127.0.0.1:${resolverPort}`,
    );
    for (const [zone, text] of Object.entries(zones)) {
      writeFileSync(join(folder, `${zone}.zone`), text);
      if (signed.includes(zone)) servers.sign(zone);
    }
    const zoneFiles = Object.keys(zones).map(
      (zone) => `zone:\n  name: ${zone}\n  zonefile: ${fileOf(zone, signed)}\n`,
    );
    servers.launch(
      'nsd',
      ['-d', '-c'],
      `server:
  ip-address: 127.0.0.1@${authoritativePort}
  username: ""
  zonesdir: "${folder}"
  pidfile: ""
  xfrdfile: "${folder}/xfrd.state"
  zonelistfile: "${folder}/zone.list"
  server-count: 1
  minimal-responses: yes
remote-control:
  control-enable: no
${zoneFiles.join('')}`,
    );
    const stubs = [...Object.keys(zones), ...lame].map(
      (zone) => `stub-zone:\n  name: ${zone}\n  stub-addr: 127.0.0.1@${authoritativePort}\n`,
    );
    servers.launch(
      'unbound',
      ['-d', '-c'],
      `server:
  interface: 127.0.0.1
  port: ${resolverPort}
  num-threads: 1
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  do-not-query-localhost: no
  unblock-lan-zones: yes
  insecure-lan-zones: yes
  local-zone: "2.0.192.in-addr.arpa." nodefault
  module-config: "validator iterator"
${signed.map((zone) => `  trust-anchor-file: "${folder}/${zone}.ds"\n`).join('')}remote-control:
  control-enable: no
${stubs.join('')}`,
    );
    for (const port of [authoritativePort, resolverPort]) {
      await waitFor(`port ${port} to answer`, () => answers(port));
    }
    return servers;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.processes.map(async (one) => {
        if (one.exitCode !== null) return;
        const ended = once(one, 'exit');
        one.kill('SIGKILL');
        await ended;
      }),
    );
  }

  private sign(zone: string): void {
    const run = (program: string, ...words: string[]) => {
      const done = spawnSync(program, words, { cwd: this.folder, env: { PATH } });
      if (done.status !== 0) throw new Error(`${program}: ${done.stderr.toString()}`);
      return done.stdout.toString().trim();
    };
    const key = run('ldns-keygen', '-k', '-a', ALGORITHM, '-r', '/dev/urandom', zone);
    run('ldns-signzone', '-f', `${zone}.zone.signed`, `${zone}.zone`, key);
    writeFileSync(join(this.folder, `${zone}.ds`), readFileSync(join(this.folder, `${key}.ds`)));
  }

  private launch(program: string, words: string[], settings: string): void {
    const file = join(this.folder, `${program}.conf`);
    writeFileSync(file, settings);
    this.processes.push(spawn(program, [...words, file], { env: { PATH }, stdio: 'ignore' }));
  }
}

function fileOf(zone: string, signed: readonly string[]): string {
  return signed.includes(zone) ? `${zone}.zone.signed` : `${zone}.zone`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => end(true));
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on('error', () => end(false));
  });
}
