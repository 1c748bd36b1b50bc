import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { Connections, drip } from './connections.js';
import type { ExchangeLog } from './exchange-log.js';
import { type Misbehaviour, misbehaviourOf } from './misbehaviour.js';
import { autnumObject, networkObject } from './number-answer.js';
import { domainObject, errorObject, reservedObject } from './rdap-answer.js';
import { availabilityOf, registrationOf } from '../registrations/registration.js';
import { asMisreported, HTML_PAGE } from './scenario.js';
import type { TlsIdentities } from './tls-identities.js';

const HUGE_ANSWER_BYTES = 8 * 1024 * 1024;
const DEEPEST_JSON = 10_000;
const THROTTLED_RETRY_AFTER_SECONDS = 30;

/**
 * Serves RDAP over TLS (RFC 7480, 9082, 9083) for any host name: the certificate is issued for the name in the client's
 * TLS greeting. Hosts below `.example` are registrars, and all others are registries.
 */
export class RdapServer {
  private readonly server;
  private readonly connections: Connections;

  constructor(
    identities: TlsIdentities,
    private readonly exchanges: ExchangeLog,
    private readonly dripIntervalMs: number,
  ) {
    this.server = createServer(
      {
        SNICallback: (host, done) => done(null, identities.contextFor(host)),
        maxHeaderSize: 8192,
      },
      (request, response) => this.serve(request, response),
    );
    this.server.on('tlsClientError', (_, socket) => socket.destroy());
    this.connections = new Connections(this.server);
  }

  async listen(port: number, address?: string): Promise<number> {
    return this.connections.listen(port, address);
  }

  async close(): Promise<void> {
    await this.connections.close();
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const host = (request.socket as TLSSocket).servername || 'localhost';
    const path = request.url ?? '/';
    const number = numberIn(path);
    if (request.method === 'GET' && number !== undefined) {
      const { question: domain, object } = number;
      this.exchanges.add({ protocol: 'rdap', role: 'registry', question: path, domain, host });
      return send(response, 200, object);
    }
    const domain = /\/domain\/([a-z0-9.-]{1,253})$/i.exec(path)?.[1]?.toLowerCase();
    if (request.method !== 'GET' || domain === undefined) {
      return send(response, 400, errorObject(400, 'Bad Request'));
    }
    const role = host.endsWith('.example') ? 'registrar' : 'registry';
    const hop = this.exchanges.add({ protocol: 'rdap', role, question: path, domain, host });
    const misbehaviour = misbehaviourOf(domain, { protocol: 'rdap', role });
    if (misbehaviour !== undefined && this.misbehaves(response, misbehaviour, path, host)) return;
    if (
      availabilityOf(domain) === 'free' ||
      (misbehaviour === 'lying-registrar' && role === 'registrar')
    ) {
      return send(response, 404, errorObject(404, 'Object not found'));
    }
    const registration = asMisreported(registrationOf(domain), misbehaviour, role, hop);
    const answer =
      availabilityOf(domain) === 'reserved'
        ? reservedObject(domain)
        : domainObject(registration, role, `https://${host}${path}`);
    this.write(response, JSON.stringify(answer), misbehaviour);
  }

  /** Simulates a fault that replaces the whole answer. @returns false if the caller must still answer. */
  private misbehaves(
    response: ServerResponse,
    misbehaviour: Misbehaviour,
    path: string,
    host: string,
  ): boolean {
    switch (misbehaviour) {
      case 'throttled':
        response.setHeader('retry-after', String(THROTTLED_RETRY_AFTER_SECONDS));
        send(response, 429, errorObject(429, 'Too many requests'));
        return true;
      case 'throttled-without-hint':
        send(response, 429, errorObject(429, 'Too many requests'));
        return true;
      case 'unavailable':
        send(response, 503, errorObject(503, 'Service unavailable'));
        return true;
      case 'redirect-loop':
        return redirect(response, `https://${host}${path}`);
      case 'redirect-to-http':
        return redirect(response, `http://${host}${path}`);
      case 'redirect-to-private':
        return redirect(response, `https://10.0.0.1${path}`);
      case 'refused':
        this.connections.reset(response.socket?.remotePort);
        return true;
      case 'silent':
        return true;
      default:
        return false;
    }
  }

  private write(
    response: ServerResponse,
    text: string,
    misbehaviour: Misbehaviour | undefined,
  ): void {
    response.setHeader(
      'content-type',
      misbehaviour === 'html' ? 'text/html' : 'application/rdap+json',
    );
    switch (misbehaviour) {
      case 'reset':
        response.setHeader('content-length', text.length);
        return void response.write(text.slice(0, text.length / 2), () =>
          this.connections.reset(response.socket?.remotePort),
        );
      case 'drip':
        response.setHeader('content-length', HUGE_ANSWER_BYTES);
        response.flushHeaders();
        return drip(response.socket!, Buffer.from(text), this.dripIntervalMs);
      case 'never-closes':
        response.setHeader('content-length', text.length + 1);
        return void response.write(text);
      case 'empty':
        return void response.end();
      case 'garbage':
        return void response.end(randomBytes(2048));
      case 'huge':
        return void response.end(`{"filler":"${'x'.repeat(HUGE_ANSWER_BYTES)}"}`);
      case 'html':
        return void response.end(HTML_PAGE);
      case 'deep-json':
        return void response.end('['.repeat(DEEPEST_JSON) + ']'.repeat(DEEPEST_JSON));
      case 'latin-1':
        return void response.end(
          Buffer.from(text.replaceAll('Example Holdings', 'Société Exemple'), 'latin1'),
        );
      default:
        return void response.end(text);
    }
  }
}

/** Returns the address, block or AS number that a path names, and its record; undefined for another path. */
function numberIn(path: string) {
  const [, kind, question] = /\/(ip|autnum)\/([0-9a-f.:/]{1,60})$/i.exec(path) ?? [];
  if (question === undefined) return undefined;
  const object = kind === 'ip' ? networkObject(question) : autnumObject(question);
  return object && { question, object };
}

function send(response: ServerResponse, status: number, body: Record<string, unknown>): void {
  response.writeHead(status, { 'content-type': 'application/rdap+json' });
  response.end(JSON.stringify(body));
}

function redirect(response: ServerResponse, location: string): true {
  response.writeHead(302, { location }).end();
  return true;
}
