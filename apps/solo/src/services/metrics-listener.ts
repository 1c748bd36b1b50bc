import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  InternalError,
  Metrics,
  NotFound,
  answerInternalParserError,
  refuseInternally,
  takeProperRequests,
} from '#libs/platform';

const HOST = '127.0.0.1';

export class MetricsListener {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /**
   * Serves the metrics of all services together, on loopback at `/metrics`.
   * @param port 0 selects a free port.
   */
  static async start(services: Metrics[], port: number): Promise<MetricsListener> {
    const server = createServer({ requireHostHeader: false }, (request, response) => {
      if (request.url !== '/metrics' || request.method !== 'GET') {
        refuseInternally(request, response, new NotFound());
        return;
      }
      void Metrics.textOf(services).then(
        (text) => response.writeHead(200, { 'Content-Type': Metrics.contentType }).end(text),
        (error: unknown) => refuseInternally(request, response, new InternalError(error)),
      );
    });
    takeProperRequests(server, refuseInternally);
    server.on('clientError', answerInternalParserError);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, HOST, resolve);
    });
    const { port: bound } = server.address() as AddressInfo;
    return new MetricsListener(server, `http://${HOST}:${bound}/metrics`);
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}
