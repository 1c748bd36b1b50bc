import type { Socket } from 'node:net';

/** `to-server` is the direction of the client's bytes, `to-client` that of the answers. */
export type Direction = 'to-server' | 'to-client';

/** The fault of a connection that sends certain bytes. */
export interface Trap {
  text: string;
  isForwarded: boolean;
  /** The time between the bytes and the reset. */
  afterMs: number;
  struck: () => void;
}

/** The faults that decide whether a link passes bytes on. */
export interface LinkRules {
  delayMs(): number;
  isLost(direction: Direction): boolean;
  /**
   * Called with the client's bytes.
   * @returns the fault for this connection, if any.
   */
  sent(bytes: Buffer): Trap | undefined;
}

/** A client's connection through the proxy: two sockets and the bytes between them. */
export class Link {
  readonly closed: Promise<void>;
  private readonly flows: Flow[];
  private isStruck = false;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly rules: LinkRules,
  ) {
    this.flows = [
      new Flow(
        client,
        server,
        () => rules.delayMs(),
        (bytes) => this.mayPass('to-server', bytes),
      ),
      new Flow(
        server,
        client,
        () => rules.delayMs(),
        (bytes) => this.mayPass('to-client', bytes),
      ),
    ];
    server.once('error', () => reset(client));
    client.once('error', () => server.destroy());
    this.closed = Promise.all([client, server].map(whenClosed)).then(() => {});
  }

  pause(): void {
    for (const flow of this.flows) flow.hold();
  }

  resume(): void {
    for (const flow of this.flows) flow.release();
  }

  reset(): void {
    reset(this.client);
    reset(this.server);
  }

  private mayPass(direction: Direction, bytes: Buffer): boolean {
    if (this.isStruck && direction === 'to-client') return false;
    const trap = direction === 'to-server' ? this.rules.sent(bytes) : undefined;
    if (trap) this.strike(trap);
    if (trap && !trap.isForwarded) return false;
    return !this.rules.isLost(direction);
  }

  private strike(trap: Trap): void {
    this.isStruck = true;
    setTimeout(() => {
      this.reset();
      trap.struck();
    }, trap.afterMs);
  }
}

/** Passes the bytes of one direction in order, with a delay if one is set, and with back-pressure. */
class Flow {
  private isHeld = false;
  private isFull = false;
  private lastDueAt = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly delayMs: () => number,
    private readonly mayPass: (bytes: Buffer) => boolean,
  ) {
    from.on('data', (bytes: Buffer) => this.pass(bytes));
    from.once('end', () => this.later(() => to.end()));
    from.once('close', () => this.later(() => to.destroy()));
    to.on('drain', () => {
      this.isFull = false;
      this.flow();
    });
  }

  hold(): void {
    this.isHeld = true;
    this.from.pause();
  }

  release(): void {
    this.isHeld = false;
    this.flow();
  }

  private pass(bytes: Buffer): void {
    if (!this.mayPass(bytes)) return;
    this.later(() => {
      if (this.to.destroyed || this.to.write(bytes)) return;
      this.isFull = true;
      this.from.pause();
    });
  }

  private later(work: () => void): void {
    const now = performance.now();
    const dueAt = Math.max(now + this.delayMs(), this.lastDueAt);
    if (dueAt <= now && this.waiting.length === 0) return work();
    this.lastDueAt = dueAt;
    this.waiting.push(work);
    // Timers have a resolution of a millisecond, so two may fire in the wrong order. Each handles the oldest chunk.
    setTimeout(() => this.waiting.shift()!(), dueAt - now);
  }

  private flow(): void {
    if (!this.isHeld && !this.isFull) this.from.resume();
  }
}

/** A socket that is already ending cannot be reset: Node 24.21 would leave its handle open forever. */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}

const whenClosed = (socket: Socket) =>
  new Promise<void>((resolve) =>
    socket.closed ? resolve() : socket.once('close', () => resolve()),
  );
