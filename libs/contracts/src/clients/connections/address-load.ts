import { type LookupAddress, type LookupAllOptions, lookup as resolveName } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';

type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * How long an attempt counts as a connection, so that simultaneous attempts are spread and a broken address is not
 * always tried first.
 */
const ATTEMPT_MS = 10_000;

/**
 * Counts the connections of one pool for each address of a service's name. A name with several addresses (a headless
 * Kubernetes Service, a scaled Compose service) has no balancer in front of it: each new connection goes to the address
 * with the fewest connections, and Node tries the others if that address does not answer.
 */
export class AddressLoad {
  private readonly open = new Map<string, number>();
  private readonly tried = new Map<string, number>();

  constructor(private readonly resolve: Resolve = resolveName) {}

  /**
   * The `lookup` of `node:net` and `node:tls`: returns the addresses, or only the first unless `all` is set, ordered
   * by load, and in random order where the load is equal. Counts an attempt at the first address.
   */
  readonly lookup: LookupFunction = (host, options, callback) => {
    this.resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const places = addresses.map((address) => ({
        ...address,
        load: this.connectionsTo(address.address) + (this.tried.get(address.address) ?? 0),
        draw: Math.random(),
      }));
      places.sort((a, b) => a.load - b.load || a.draw - b.draw);
      const [{ address: first }] = places;
      add(this.tried, first, 1);
      setTimeout(() => add(this.tried, first, -1), ATTEMPT_MS).unref();
      if (!options.all) return callback(null, places[0].address, places[0].family);
      callback(
        null,
        places.map(({ address, family }) => ({ address, family })),
      );
    });
  };

  count(socket: Socket): void {
    const address = socket.remoteAddress;
    if (address === undefined) return;
    add(this.open, address, 1);
    socket.once('close', () => add(this.open, address, -1));
  }

  connectionsTo(address: string): number {
    return this.open.get(address) ?? 0;
  }
}

function add(counts: Map<string, number>, address: string, change: 1 | -1): void {
  const count = (counts.get(address) ?? 0) + change;
  if (count > 0) counts.set(address, count);
  else counts.delete(address);
}
