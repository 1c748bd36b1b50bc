import type { Socket } from 'node:net';

/** Maximum number of rate-limit rejections per connection. A new connection costs as much as a dozen rejections. */
const REFUSALS_MAX = 100;

/**
 * Counts the rate-limit rejections on each connection. A client that ignores them loses its connection and must open a
 * new one (S126). Only rejections are counted, so accepted requests cost nothing.
 */
export class RefusedConnections {
  private readonly refusals = new WeakMap<Socket, number>();

  /** Counts a rejection. @returns true if its answer must be the last one on the connection. */
  isLast(socket: Socket): boolean {
    const count = (this.refusals.get(socket) ?? 0) + 1;
    this.refusals.set(socket, count);
    return count >= REFUSALS_MAX;
  }
}
