import type { FastifyInstance } from 'fastify';
import { siteOf } from '#libs/platform';
import { BodiesTooMany } from './browser.errors.js';
import { visitorAddress } from './visitor-address.js';

const MIB = 1024 * 1024;
const ALL_BYTES = 8 * MIB;
/**
 * The bodies of an address (IPv6: /48) that are arriving or not yet answered may take this much memory: enough for two
 * callbacks of maximum size with some short chunks.
 */
const OF_SITE_BYTES = 2 * MIB + 32 * 1024;
/** The minimum memory for a piece. Node passes on each chunk of a chunked body as a piece, even a single byte. */
const PIECE_BYTES = 1024;

interface Body {
  site: string;
  bytes: number;
  /** Rejects the body; undefined once the body has arrived completely. */
  refuse?: () => void;
}

class BodyMemory {
  private bytes = 0;
  private readonly ofSites = new Map<string, number>();
  /** Oldest first. */
  private readonly bodies = new Set<Body>();

  /**
   * Takes memory for a body. If the memory is full, the oldest bodies of sites that use more than this site are
   * rejected; otherwise, a few clients that never finish their bodies could keep all other clients out. If the site's
   * share is used up, larger bodies of the same site are rejected, because many clients may share an address. @returns
   * false if there is no room for the bytes.
   */
  take(body: Body, bytes: number): boolean {
    while (this.ofSite(body) + bytes > OF_SITE_BYTES) {
      const refuse = this.largestOfSite(body, body.bytes + bytes)?.refuse;
      if (!refuse) return false;
      refuse();
    }
    const ofSite = this.ofSite(body) + bytes;
    while (this.bytes + bytes > ALL_BYTES) {
      const refuse = this.oldestOfLargest(ofSite)?.refuse;
      if (!refuse) return false;
      refuse();
    }
    this.bodies.add(body);
    this.bytes += bytes;
    this.ofSites.set(body.site, ofSite);
    body.bytes += bytes;
    return true;
  }

  giveBack(body: Body): void {
    const { site, bytes } = body;
    if (!this.bodies.delete(body)) return;
    body.bytes = 0;
    this.bytes -= bytes;
    const left = this.ofSites.get(site)! - bytes;
    if (left === 0) this.ofSites.delete(site);
    else this.ofSites.set(site, left);
  }

  private ofSite({ site }: Body): number {
    return this.ofSites.get(site) ?? 0;
  }

  /** Returns the largest unfinished body of the same site, if it is larger than `bytes`. */
  private largestOfSite({ site }: Body, bytes: number): Body | undefined {
    let found: Body | undefined;
    let most = bytes;
    for (const body of this.bodies) {
      if (!body.refuse || body.site !== site || body.bytes <= most) continue;
      found = body;
      most = body.bytes;
    }
    return found;
  }

  /**
   * Considers only sites with unfinished bodies. Returns the oldest unfinished body of the one that uses the most
   * memory; undefined if none uses more than `bytes`.
   */
  private oldestOfLargest(bytes: number): Body | undefined {
    let found: Body | undefined;
    let most = bytes;
    for (const body of this.bodies) {
      const ofSite = this.ofSite(body);
      if (!body.refuse || ofSite <= most) continue;
      found = body;
      most = ofSite;
    }
    return found;
  }
}

/**
 * Counts the bytes of bodies, except uploads, from their arrival until their answer has been sent. Announced lengths do
 * not count, because an unknown sender must not be able to block other senders. A body without room is rejected, and
 * its connection is closed (S125).
 */
export function meterBodies(server: FastifyInstance): void {
  const memory = new BodyMemory();
  server.addHook('preParsing', (request, reply, stream, done) => {
    // Only a few pieces of an upload are in memory at any time.
    if (request.routeOptions.config.isUpload) return done(null, stream);
    const body: Body = { site: siteOf(visitorAddress(request)), bytes: 0 };
    const count = (chunk: Buffer) => {
      if (!memory.take(body, Math.max(chunk.length, PIECE_BYTES))) body.refuse?.();
    };
    const stop = () => {
      stream.off('data', count);
      body.refuse = undefined;
      memory.giveBack(body);
    };
    body.refuse = () => {
      stop();
      void reply.header('connection', 'close');
      // Only the reader stops. Destroying the stream would also lose the answer.
      stream.emit('error', new BodiesTooMany());
    };
    stream.on('data', count);
    stream.once('end', () => (body.refuse = undefined));
    // Without a handler, the error of a body that nobody reads would end the process.
    stream.on('error', () => {});
    // If a body was rejected for its length, its remaining bytes arrive after the answer and are not kept.
    reply.raw.once('close', stop);
    done(null, stream);
  });
}
