import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export class LoopbackServer {
  private server: Server;

  constructor(
    private readonly handle?: (request: IncomingMessage, response: ServerResponse) => unknown,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    this.server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      void this.take(request, response);
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  protected take(request: IncomingMessage, response: ServerResponse): unknown {
    return this.handle?.(request, response);
  }
}

export class JsonServer extends LoopbackServer {
  /**
   * Whether it answers like a load balancer without a service: with 503 and a foreign body, except to health checks.
   */
  isDown = false;
  gate?: Promise<void>;
  readonly calls: string[] = [];

  constructor(private readonly reply?: (request: IncomingMessage, body: unknown) => object) {
    super();
  }

  protected answer(request: IncomingMessage, body: unknown): object {
    return this.reply?.(request, body) ?? {};
  }

  protected override async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.url === '/health') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
      return;
    }
    this.calls.push(`${request.method} ${request.url}`);
    if (this.isDown) {
      response.writeHead(503, { 'content-type': 'text/plain' }).end('no service');
      return;
    }
    await this.gate;
    const answer = this.answer(request, body === '' ? undefined : JSON.parse(body));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }
}

/** A change feed over a list, whose cursor is an index in the list. */
export class ListFeed {
  token = 'first';
  private readonly named: string[] = [];

  name(accountId: string): void {
    this.named.push(accountId);
  }

  page(cursor: { snapshot: string } | undefined): object {
    const keys = cursor === undefined ? [] : this.named.slice(Number(cursor.snapshot));
    const next = { snapshot: String(this.named.length), highestXid: '0' };
    return { token: this.token, cursor: next, keys };
  }
}
