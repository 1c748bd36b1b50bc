import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Hands over a callback's bytes and its processor's headers, as the gateway's route does. Status 0: no answer. */
export type CallbackReceiver = (
  body: Buffer,
  headers: Record<string, string>,
) => Promise<{ status: number }>;

/** The public door of callbacks, without the gateway around it. */
export class CallbackDoor {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(receive: CallbackReceiver): Promise<CallbackDoor> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const signature = request.headers['stripe-signature'];
        const headers = typeof signature === 'string' ? { 'stripe-signature': signature } : {};
        receive(Buffer.concat(chunks), headers as Record<string, string>).then(
          ({ status }) => (status === 0 ? response.destroy() : response.writeHead(status).end()),
          () => response.writeHead(500).end(),
        );
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    return new CallbackDoor(server, `http://localhost:${port}/`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
