import type { Socket } from 'node:net';

/** Rate-limit refusals that one connection gets. */
const REFUSALS_MAX = 50;

/**
 * How often each connection was refused for its rate: a client that goes on regardless loses it, and pays for a new
 * one (S126). Only refusals are counted, so that what is allowed costs nothing.
 */
export class RefusedConnections {
  private readonly refusals = new WeakMap<Socket, number>();

  /** Counts a refusal. @returns true when it is to be the connection's last answer. */
  isLast(socket: Socket): boolean {
    const count = (this.refusals.get(socket) ?? 0) + 1;
    this.refusals.set(socket, count);
    return count >= REFUSALS_MAX;
  }
}
