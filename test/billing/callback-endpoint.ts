import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { LoopbackServer } from '../stand-ins/json-server.js';

/**
 * Delivers a callback's bytes with its processor's headers, as the gateway's route does. The status 0 means that there
 * was no answer.
 */
type CallbackReceiver = (
  body: Buffer,
  headers: Record<string, string>,
) => Promise<{ status: number }>;

const SIGNATURE = /^(stripe-signature|paypal-[\w-]+)$/;

export class CallbackEndpoint extends LoopbackServer {
  constructor(private readonly receive: CallbackReceiver) {
    super();
  }

  protected async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const own = Object.entries(request.headers).filter(([name]) => SIGNATURE.test(name));
    const headers = Object.fromEntries(own) as Record<string, string>;
    const answer = await this.receive(await buffer(request), headers).catch(() => ({
      status: 500,
    }));
    if (answer.status === 0) response.destroy();
    else response.writeHead(answer.status).end();
  }
}
