import type { FastifyInstance } from 'fastify';
import { networkOf } from '#libs/platform';
import { BodiesTooMany } from './browser.errors.js';

const MIB = 1024 * 1024;
/** Maximum size of all bodies that are arriving or being answered. */
const ALL_BYTES = 8 * MIB;
/** Maximum size of these bodies per network: two of the largest callbacks. */
const OF_NETWORK_BYTES = 2 * MIB;

/** How many bytes of bodies are in memory, in total and per network. */
class BodyMemory {
  private bytes = 0;
  private readonly ofNetworks = new Map<string, number>();

  /** False if there is no room for them. */
  take(network: string, bytes: number): boolean {
    const ofNetwork = (this.ofNetworks.get(network) ?? 0) + bytes;
    if (this.bytes + bytes > ALL_BYTES || ofNetwork > OF_NETWORK_BYTES) return false;
    this.bytes += bytes;
    this.ofNetworks.set(network, ofNetwork);
    return true;
  }

  giveBack(network: string, bytes: number): void {
    if (bytes === 0) return;
    this.bytes -= bytes;
    const left = this.ofNetworks.get(network)! - bytes;
    if (left === 0) this.ofNetworks.delete(network);
    else this.ofNetworks.set(network, left);
  }
}

/**
 * Counts the bytes of bodies as they arrive, until their answer has been sent. Announced lengths are not counted,
 * because the sender is still unknown and must not block others. A body for which there is no room is rejected, and its
 * connection is closed (S125).
 */
export function meterBodies(server: FastifyInstance): void {
  const memory = new BodyMemory();
  server.addHook('preParsing', (request, reply, body, done) => {
    // Only a few pieces of an upload are in memory at any time.
    if (request.routeOptions.config.isUpload) return done(null, body);
    const network = networkOf(request.ip);
    let held = 0;
    const count = (chunk: Buffer) => {
      if (memory.take(network, chunk.length)) held += chunk.length;
      else {
        body.off('data', count);
        void reply.header('connection', 'close');
        // The reader stops here; destroying the stream would also lose the answer.
        body.emit('error', new BodiesTooMany());
      }
    };
    body.on('data', count);
    // Discards a body that is not read.
    body.on('error', () => {});
    reply.raw.once('close', () => memory.giveBack(network, held));
    done(null, body);
  });
}
