import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { CertificateAuthority } from './safe-connect/certificate-authority.js';
import { SafeConnector } from './safe-connect/safe-connector.js';
import type { UpstreamException } from './safe-connect/upstream-exceptions.js';

/**
 * Real servers on loopback sockets, reachable under the names of hosts, for specs. Other hosts do not exist. All
 * queries are recorded.
 */
export class LoopbackInternet {
  private static readonly authority = new CertificateAuthority();
  private readonly exceptions: UpstreamException[] = [];
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();
  /** The queries in order of arrival: `host question` for port 43, `host /path` for RDAP. */
  readonly asked: string[] = [];

  /**
   * Adds a port-43 server. @param answer the text, or a function that gets the socket once a whole line has arrived.
   */
  async whois(host: string, answer: string | ((socket: Socket, question: string) => void)) {
    const server = createServer((socket) => {
      let question = '';
      socket.on('data', (chunk) => {
        if (question.endsWith('\n')) return;
        question += chunk.toString('latin1');
        if (!question.endsWith('\n')) return;
        this.asked.push(`${host} ${question}`);
        if (typeof answer === 'string') socket.end(answer);
        else answer(socket, question);
      });
    });
    await this.start(server, host, 43);
  }

  /** Adds an RDAP service with a certificate for its host. */
  async rdap(host: string, answer: RequestListener) {
    const { keyPem, certificatePem } = LoopbackInternet.authority.certificateFor([host]);
    const server = createHttpsServer({ key: keyPem, cert: certificatePem }, (request, response) => {
      this.asked.push(`${host} ${request.url}`);
      answer(request, response);
    });
    await this.start(server, host, 443);
  }

  connector(): SafeConnector {
    return new SafeConnector({
      exceptions: this.exceptions,
      extraCaPem: LoopbackInternet.authority.certificatePem,
      // Other names do not resolve, so no query leaves the machine.
      dnsServers: ['127.0.0.1:1'],
    });
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(
      this.servers.splice(0).map((server) => new Promise((closed) => server.close(closed))),
    );
  }

  private async start(server: Server, host: string, port: number): Promise<void> {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.servers.push(server);
    const addressPort = (server.address() as AddressInfo).port;
    this.exceptions.push({ host, port, address: '127.0.0.1', addressPort });
  }
}
