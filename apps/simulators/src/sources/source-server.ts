import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { Connections } from '../registry/connections.js';
import { TlsIdentities } from '../registry/tls-identities.js';

interface SourceFile {
  content: Buffer;
  modifiedAt: Date;
  /** The numbers of bytes after which the next answers break off, one per answer. */
  breaks: number[];
}

export interface LoggedCertificate {
  at: Date;
  names: readonly string[];
}

const TILE_ENTRIES = 256;
const MODIFIED_AT = new Date('2026-01-05T00:00:00Z');

/**
 * Serves the corpus's sources under any host name: files over TLS with ETags and ranges (RFC 9110), which can be
 * truncated or redirected, and Certificate Transparency logs with names tiles.
 */
export class SourceServer {
  private readonly identities = new TlsIdentities();
  private readonly server;
  private readonly connections: Connections;
  private readonly files = new Map<string, SourceFile>();
  private readonly redirects = new Map<string, string>();
  private readonly logKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly asked: string[] = [];
  port = 0;

  private constructor() {
    this.server = createServer(
      { SNICallback: (host, done) => done(null, this.identities.contextFor(host)) },
      (request, response) => this.serve(request, response),
    );
    this.server.on('tlsClientError', (_, socket) => socket.destroy());
    this.connections = new Connections(this.server);
  }

  static async start(): Promise<SourceServer> {
    const server = new SourceServer();
    server.port = await server.connections.listen(0);
    return server;
  }

  get authorityPem(): string {
    return this.identities.authorityPem;
  }

  /** The logs' public key: DER in base64. */
  get logKey(): string {
    return this.logKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  }

  async close(): Promise<void> {
    await this.connections.close();
  }

  /**
   * Stores a file to serve. @param breaks the number of bytes after which the first answers break off, one value per
   * answer.
   */
  put(
    path: string,
    content: string | Buffer,
    { modifiedAt = MODIFIED_AT, breaks = [] as number[] } = {},
  ): void {
    this.files.set(path, { content: Buffer.from(content), modifiedAt, breaks });
  }

  contentOf(path: string): Buffer {
    return this.files.get(path)!.content;
  }

  remove(path: string): void {
    this.files.delete(path);
  }

  redirect(path: string, target: string): void {
    this.redirects.set(path, target);
  }

  /**
   * Publishes a log with these certificates below a path: names tiles, hash tiles and a signed checkpoint (Static CT
   * API).
   */
  publish(path: string, certificates: readonly LoggedCertificate[]): void {
    const lines = certificates.map(({ at, names }) =>
      JSON.stringify({
        Timestamp: at.getTime(),
        Subject: { CommonName: names[0] },
        DNS: names,
      }),
    );
    this.putTiles(`${path}tile/names/`, lines, (part) => gzipSync(part.join('\n')));
    const leaves = lines.map((line) => sha256('\0', line));
    for (let [level, hashes] = [0, leaves]; hashes.length > 0; level += 1) {
      this.putTiles(`${path}tile/${level}/`, hashes, (part) => Buffer.concat(part));
      hashes = Array.from({ length: Math.floor(hashes.length / TILE_ENTRIES) }, (_, place) =>
        rootOf(hashes.slice(place * TILE_ENTRIES, (place + 1) * TILE_ENTRIES)),
      );
    }
    this.put(`${path}checkpoint`, this.checkpoint(`log.example${path}`, leaves));
  }

  private putTiles<T>(path: string, items: readonly T[], tileOf: (part: T[]) => Buffer): void {
    for (let from = 0; from < items.length; from += TILE_ENTRIES) {
      const part = items.slice(from, from + TILE_ENTRIES);
      const width = part.length === TILE_ENTRIES ? '' : `.p/${part.length}`;
      this.put(`${path}${tilePath(from / TILE_ENTRIES)}${width}`, tileOf(part));
    }
  }

  private checkpoint(origin: string, leaves: readonly Buffer[]): string {
    const root = rootOf(leaves);
    const numbers = Buffer.alloc(16);
    numbers.writeBigUInt64BE(BigInt(MODIFIED_AT.getTime()));
    numbers.writeBigUInt64BE(BigInt(leaves.length), 8);
    const { privateKey, publicKey } = this.logKeys;
    const signed = sign('sha256', Buffer.concat([Buffer.from([0, 1]), numbers, root]), privateKey);
    const logId = sha256(publicKey.export({ format: 'der', type: 'spki' }));
    const signature = Buffer.concat([
      sha256(`${origin}\n`, '\x05', logId).subarray(0, 4),
      numbers.subarray(0, 8),
      Buffer.from([4, 3, 0, signed.length]),
      signed,
    ]);
    const head = `${origin}\n${leaves.length}\n${root.toString('base64')}\n`;
    return `${head}\n— ${origin} ${signature.toString('base64')}\n`;
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    const { range = '' } = request.headers;
    this.asked.push([path, range].filter(Boolean).join(' '));
    const target = this.redirects.get(path);
    if (target !== undefined) return void response.writeHead(302, { location: target }).end();
    const file = this.files.get(path);
    if (!file) return void response.writeHead(404).end();
    const { content, modifiedAt } = file;
    const etag = `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`;
    const wanted = request.headers['if-range'] === etag ? /^bytes=(\d+)-$/.exec(range) : null;
    const from = wanted ? Number(wanted[1]) : 0;
    const rest = content.subarray(from);
    response.writeHead(wanted ? 206 : 200, {
      etag,
      'last-modified': modifiedAt.toUTCString(),
      'content-length': rest.length,
      ...(wanted && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
    });
    const breaksAfter = file.breaks.shift();
    if (breaksAfter === undefined) return void response.end(rest);
    // This closes the connection only after the written data has been sent.
    response.write(rest.subarray(0, breaksAfter), () => request.socket.end());
  }
}

function sha256(...parts: (string | Buffer)[]): Buffer {
  return parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
}

/** Returns the root of a Merkle tree (RFC 6962 §2.1). */
function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return sha256();
  if (hashes.length === 1) return hashes[0];
  const left = 2 ** Math.floor(Math.log2(hashes.length - 1));
  return sha256('\x01', rootOf(hashes.slice(0, left)), rootOf(hashes.slice(left)));
}

/** Returns the path of a tile: `x001/x234/067` for 1234067. */
function tilePath(number: number): string {
  const digits = String(number).padStart(Math.ceil(String(number).length / 3) * 3, '0');
  return digits.replace(/(\d{3})(?=\d)/g, 'x$1/');
}
