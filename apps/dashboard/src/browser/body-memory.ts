import type { FastifyInstance } from 'fastify';
import { siteOf } from '#libs/platform';
import { BodiesTooMany } from './browser.errors.js';

const MIB = 1024 * 1024;
/** Maximum size of all bodies that are arriving or being answered. */
const ALL_BYTES = 8 * MIB;
/** Maximum size of these bodies per address (IPv6: /48): two of the largest callbacks. */
const OF_SITE_BYTES = 2 * MIB;

/** Counts the bytes of bodies in memory, in total and per site. */
class BodyMemory {
  private bytes = 0;
  private readonly ofSites = new Map<string, number>();

  /** False if there is no room for them. */
  take(site: string, bytes: number): boolean {
    const ofSite = (this.ofSites.get(site) ?? 0) + bytes;
    if (this.bytes + bytes > ALL_BYTES || ofSite > OF_SITE_BYTES) return false;
    this.bytes += bytes;
    this.ofSites.set(site, ofSite);
    return true;
  }

  giveBack(site: string, bytes: number): void {
    if (bytes === 0) return;
    this.bytes -= bytes;
    const left = this.ofSites.get(site)! - bytes;
    if (left === 0) this.ofSites.delete(site);
    else this.ofSites.set(site, left);
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
    const site = siteOf(request.ip);
    let held = 0;
    const count = (chunk: Buffer) => {
      if (memory.take(site, chunk.length)) held += chunk.length;
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
    reply.raw.once('close', () => memory.giveBack(site, held));
    done(null, body);
  });
}
