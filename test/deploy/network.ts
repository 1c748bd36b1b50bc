import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { isAlive } from '#test/environment';
import { TcpProxy } from '../faults/tcp-proxy.js';

/** The highest id of a Linux process, 2^22, in base 36. */
const OWNER_LETTERS = 5;

/**
 * A network for containers on this machine: a bridge, a network namespace for each container, and an address for each
 * name.
 */
export class Network {
  private readonly id = ownId();
  private readonly prefix = `10.${randomInt(128, 250)}.${randomInt(1, 250)}`;
  private readonly names: string[] = [];
  private readonly forwards: TcpProxy[] = [];

  /** @param names of everything that has an address, containers or not. */
  constructor(names: string[]) {
    this.names = names;
    removeAbandoned();
    ip(`link add ${this.bridge} type bridge`);
    ip(`addr add ${this.hostAddress}/24 dev ${this.bridge}`);
    ip(`link set ${this.bridge} up`);
  }

  /** This machine's address, as containers see it. */
  get hostAddress(): string {
    return `${this.prefix}.1`;
  }

  addressOf(name: string): string {
    return `${this.prefix}.${this.names.indexOf(name) + 10}`;
  }

  /**
   * A hosts file that gives services their own addresses, and the names in `onHost` the address of this machine.
   * @param aliases further names, by the name whose address they share.
   */
  hosts(onHost: string[], aliases: Record<string, string> = {}): string {
    const named = [...this.names.map((name) => [name, name]), ...Object.entries(aliases)];
    const lines = named.map(([alias, name]) => `${this.addressOf(name)} ${alias}`);
    return ['127.0.0.1 localhost', ...lines, `${this.hostAddress} ${onHost.join(' ')}`, ''].join(
      '\n',
    );
  }

  /** @returns the network namespace in which the container of that name runs. */
  join(name: string): string {
    const index = this.names.indexOf(name);
    const [space, outer, inner] = ['s', 'o', 'i'].map((kind) => `dds${this.id}${kind}${index}`);
    ip(`netns add ${space}`);
    ip(`link add ${outer} type veth peer name ${inner}`);
    ip(`link set ${outer} master ${this.bridge} up`);
    ip(`link set ${inner} netns ${space}`);
    ip(`-n ${space} addr add ${this.addressOf(name)}/24 dev ${inner}`);
    ip(`-n ${space} link set ${inner} up`);
    ip(`-n ${space} link set lo up`);
    return space;
  }

  /** Forwards connections of containers to a port of this machine to a port of its loopback address. */
  async forward(port: number, toPort = port): Promise<void> {
    const target = { host: '127.0.0.1', port: toPort };
    const at = { host: this.hostAddress, port };
    this.forwards.push(await TcpProxy.start({ route: () => target, ...at }));
  }

  async remove(): Promise<void> {
    await Promise.all(this.forwards.map((proxy) => proxy.stop()));
    removeLinks(this.id);
  }

  private get bridge(): string {
    return `dds${this.id}`;
  }
}

/** Identifies this process in a few letters, because the name of a link has at most 15. */
const ownId = () =>
  `${process.pid.toString(36).padStart(OWNER_LETTERS, '0')}${randomInt(36).toString(36)}`;

/** Removes the networks of killed runs. */
function removeAbandoned(): void {
  const ids = new RegExp(`: dds([0-9a-z]{${OWNER_LETTERS + 1}}):`, 'g');
  for (const [, id] of ip('-o link show type bridge').matchAll(ids)) {
    if (!isAlive(Number.parseInt(id.slice(0, OWNER_LETTERS), 36))) removeLinks(id);
  }
}

function removeLinks(id: string): void {
  for (const [space] of ip('netns list').matchAll(new RegExp(`^dds${id}s\\d+`, 'gm'))) {
    ip(`netns del ${space}`);
  }
  ip(`link del dds${id}`);
}

function ip(command: string): string {
  return execFileSync('ip', command.split(' '), { stdio: 'pipe', encoding: 'utf8' });
}
