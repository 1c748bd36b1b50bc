import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Delivers a callback's bytes and its processor's headers, as the gateway's route does. Status 0 means no answer. */
export type CallbackReceiver = (
  body: Buffer,
  headers: Record<string, string>,
) => Promise<{ status: number }>;

/** Headers with the processors' signatures. */
const SIGNATURE = /^(stripe-signature|paypal-[\w-]+)$/;

/** The public endpoint for callbacks, without the gateway around it. */
export class CallbackEndpoint {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(receive: CallbackReceiver): Promise<CallbackEndpoint> {
    const server = createServer((request, response) => {
      const own = Object.entries(request.headers).filter(([name]) => SIGNATURE.test(name));
      const headers = Object.fromEntries(own) as Record<string, string>;
      buffer(request)
        .then((body) => receive(body, headers))
        .then(
          ({ status }) => (status === 0 ? response.destroy() : response.writeHead(status).end()),
          () => response.writeHead(500).end(),
        );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new CallbackEndpoint(server, `http://localhost:${port}/`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
