import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { type Server, type Socket, connect, createServer } from 'node:net';

/** A network of this machine for containers: a bridge, a name space for each, addresses by name. */
export class Network {
  private readonly id = randomInt(0x1000, 0xffff).toString(16);
  private readonly prefix = `10.${randomInt(128, 250)}.${randomInt(1, 250)}`;
  private readonly names: string[] = [];
  private readonly forwards: Server[] = [];
  private readonly sockets = new Set<Socket>();

  /** @param names of everything that has an address, containers or not. */
  constructor(names: string[]) {
    this.names = names;
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
   * A hosts file: services by their own addresses, `onHost` by that of this machine.
   * @param aliases further names, by that whose address they have.
   */
  hosts(onHost: string[], aliases: Record<string, string> = {}): string {
    const named = [...this.names.map((name) => [name, name]), ...Object.entries(aliases)];
    const lines = named.map(([alias, name]) => `${this.addressOf(name)} ${alias}`);
    return ['127.0.0.1 localhost', ...lines, `${this.hostAddress} ${onHost.join(' ')}`, ''].join(
      '\n',
    );
  }

  /** @returns the name space in which the container of that name runs. */
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

  /** Passes what containers send to a port of this machine on to one of its loopback address. */
  async forward(port: number, toPort = port): Promise<void> {
    const server = createServer((client) => {
      const target = connect(toPort, '127.0.0.1');
      for (const [from, to] of [
        [client, target],
        [target, client],
      ]) {
        this.sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
      }
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, this.hostAddress, resolve);
    });
    this.forwards.push(server);
  }

  async remove(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(
      this.forwards.map((server) => new Promise((resolve) => server.close(resolve))),
    );
    const spaces = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' });
    for (const [space] of spaces.matchAll(new RegExp(`^dds${this.id}s\\d+`, 'gm'))) {
      ip(`netns del ${space}`);
    }
    ip(`link del ${this.bridge}`);
  }

  private get bridge(): string {
    return `dds${this.id}`;
  }
}

function ip(command: string): void {
  execFileSync('ip', command.split(' '), { stdio: 'pipe' });
}
