import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { Connections } from '../registry/connections.js';
import { TlsIdentities } from '../registry/tls-identities.js';

interface SourceFile {
  content: Buffer;
  modifiedAt: Date;
  /** Bytes after which each of the next answers breaks off. */
  breaks: number[];
}

/** A certificate of a log. */
export interface LoggedCertificate {
  at: Date;
  names: readonly string[];
}

const TILE_ENTRIES = 256;
const MODIFIED_AT = new Date('2026-01-05T00:00:00Z');

/**
 * Where sources of the corpus are fetched from: files over TLS with ETags and ranges (RFC 9110), whose answers may break
 * off, redirects, and logs of certificate transparency with names tiles. For any host name.
 */
export class SourceServer {
  private readonly identities = new TlsIdentities();
  private readonly server;
  private readonly connections: Connections;
  private readonly files = new Map<string, SourceFile>();
  private readonly redirects = new Map<string, string>();
  /** What was asked for, with the range. */
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

  /** PEM of the authority a client has to trust. */
  get authorityPem(): string {
    return this.identities.authorityPem;
  }

  async close(): Promise<void> {
    await this.connections.close();
  }

  /** @param breaks bytes after which the first answers, one each, break off. */
  put(
    path: string,
    content: string | Buffer,
    { modifiedAt = MODIFIED_AT, breaks = [] as number[] } = {},
  ): void {
    this.files.set(path, { content: Buffer.from(content), modifiedAt, breaks });
  }

  redirect(path: string, target: string): void {
    this.redirects.set(path, target);
  }

  /** A log below a path, with these certificates; its last ones wait until they fill a tile. */
  publish(path: string, certificates: readonly LoggedCertificate[]): void {
    const size = certificates.length;
    const root = createHash('sha256').update(String(size)).digest('base64');
    this.put(`${path}checkpoint`, `log.example${path}\n${size}\n${root}\n\n— log.example AAAA\n`);
    for (let from = 0; from + TILE_ENTRIES <= size; from += TILE_ENTRIES) {
      const lines = certificates.slice(from, from + TILE_ENTRIES).map(({ at, names }) =>
        JSON.stringify({
          Timestamp: at.getTime(),
          Subject: { CommonName: names[0] },
          DNS: names,
        }),
      );
      this.put(`${path}tile/names/${tilePath(from / TILE_ENTRIES)}`, gzipSync(lines.join('\n')));
    }
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
    // What was written arrives; then the connection ends.
    response.write(rest.subarray(0, breaksAfter), () => request.socket.end());
  }
}

/** `x001/x234/067` for 1234067. */
function tilePath(number: number): string {
  const digits = String(number).padStart(Math.ceil(String(number).length / 3) * 3, '0');
  return digits.replace(/(\d{3})(?=\d)/g, 'x$1/');
}
