import type { Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** The direction of bytes: `to-server` for those of the client, `to-client` for those of the answers. */
export type Direction = 'to-server' | 'to-client';

interface Trap {
  text: string;
  isForwarded: boolean;
  afterMs: number;
  struck: () => void;
}

export class Faults {
  delayMs = 0;
  readonly losing = new Set<Direction>();
  traps: Trap[] = [];
  /** A promise that all bytes wait for while it is set. */
  stalled?: PromiseWithResolvers<void>;
  /** The number of bytes received from clients, whether or not they were forwarded. */
  takenBytes = 0;
}

/** A client's connection through the proxy: two sockets and the bytes between them. */
export class Link {
  readonly closed: Promise<unknown>;
  private isStruck = false;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly faults: Faults,
  ) {
    this.flow('to-server', client, server);
    this.flow('to-client', server, client);
    server.once('error', () => reset(client));
    client.once('error', () => server.destroy());
    const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
    this.closed = Promise.all([closed(client), closed(server)]);
  }

  reset(): void {
    reset(this.client);
    reset(this.server);
  }

  private flow(direction: Direction, from: Socket, to: Socket): void {
    const gate = new Transform({
      transform: (bytes: Buffer, _encoding, forward) => {
        const passed = this.mayPass(direction, bytes) ? bytes : undefined;
        void this.untilDue().then(() => forward(null, passed));
      },
    });
    from.pipe(gate).pipe(to);
    // Destroying a socket does not end the stream into which it is piped.
    from.once('close', () => {
      if (gate.readableEnded) to.destroySoon();
      else gate.once('end', () => to.destroySoon()).end();
    });
  }

  private async untilDue(): Promise<void> {
    const { delayMs } = this.faults;
    if (delayMs > 0) await sleep(delayMs);
    await this.faults.stalled?.promise;
  }

  private mayPass(direction: Direction, bytes: Buffer): boolean {
    const isLost = this.faults.losing.has(direction);
    if (direction === 'to-client') return !isLost && !this.isStruck;
    this.faults.takenBytes += bytes.length;
    const trap = this.faults.traps.find(({ text }) => bytes.includes(text));
    if (trap) this.strike(trap);
    return !isLost && trap?.isForwarded !== false;
  }

  private strike(trap: Trap): void {
    this.faults.traps = this.faults.traps.filter((other) => other !== trap);
    this.isStruck = true;
    setTimeout(() => {
      this.reset();
      trap.struck();
    }, trap.afterMs);
  }
}

/** Resets a socket, unless it is already ending: Node 24.21 would leave its handle open forever. */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
