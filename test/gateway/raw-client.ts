import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

export interface RawClientOptions {
  /** If false, the client reads nothing until `read` is called. */
  reads?: boolean;
  /** If true, the client keeps its side open when the gateway closes the other. */
  staysOpen?: boolean;
}

export class RawClient {
  text = '';
  isEnded = false;

  private constructor(readonly socket: Socket) {
    socket.on('error', () => {});
    socket.on('end', () => (this.isEnded = true));
    socket.on('close', () => (this.isEnded = true));
  }

  static async open(
    apiUrl: string,
    { reads = true, staysOpen = false }: RawClientOptions = {},
  ): Promise<RawClient> {
    const port = Number(new URL(apiUrl).port);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: staysOpen });
    await once(socket, 'connect');
    const client = new RawClient(socket);
    if (reads) client.read();
    return client;
  }

  read(): void {
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Returns the statuses of the answers received so far, complete or not. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
  }

  get names(): string[] {
    return [...this.text.matchAll(/"domain_name":"([^"]+)"/g)].map(([, name]) => name);
  }
}

/** @param headers additional lines, each with its CRLF. */
export const plainQuestion = (apiKey: string, name: string, headers = '') =>
  `GET /v2.0/whois/live?domainName=${name} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\n${headers}\r\n`;
