import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#libs/platform';
import { TransferRefusal, Transfers } from '#libs/public-http';
import type { ProxiedRoute } from './proxied-route.js';
import { ServiceProxies } from '../service-calls/service-proxies.js';
import type { ProxiedCall } from '../service-calls/service-proxy.js';

/** Forwards uploads and downloads of sessions, under the same rules as those of keys. */
@Injectable()
export class TransferService {
  constructor(
    private readonly proxies: ServiceProxies,
    private readonly transfers: Transfers,
  ) {}

  /**
   * Forwards an upload or a download.
   * @param leadTo as in `TransferCall`.
   * @throws ServiceUnavailable; the refusals of `Transfers.begin` and `Transfer.run`.
   */
  async pass(
    { transfer: operation, timeoutMs, owner }: ProxiedRoute,
    call: ProxiedCall,
    request: FastifyRequest,
    reply: FastifyReply,
    leadTo?: (answer: string) => string,
  ): Promise<void> {
    const { transfers } = this;
    const whose = call.accountId ?? request.visitor.clientAddress;
    const transfer = transfers.begin(whose, {
      ...this.proxies.of(owner.service).transferOf(call),
      operation: operation!,
      publicPath: request.url.split('?', 1)[0],
      request: request.raw,
      response: reply.raw,
      path: call.path,
      answerHeaders: [...headersOf(reply), 'x-csrf-token', request.csrfToken],
      // Node's server has already asked the client for the body.
      invite: () => {},
      leadTo,
      answerTimeoutMs: timeoutMs,
    });
    if (transfer instanceof Problem) throw transfer;
    const stop = () => transfer.stop();
    reply.raw.once('close', stop);
    const ended = await transfer.run();
    transfers.end(transfer);
    reply.raw.off('close', stop);
    const isOver = !(ended instanceof TransferRefusal) || reply.raw.destroyed;
    if (isOver) return void reply.hijack();
    for (let i = 0; i < ended.headers.length; i += 2) {
      void reply.header(ended.headers[i], ended.headers[i + 1]);
    }
    // The rest of the body is not read.
    if (!request.raw.complete) void reply.header('connection', 'close');
    throw ended.problem;
  }
}

/** Returns the headers that the listener has already set, as alternating names and values. */
function headersOf(reply: FastifyReply): string[] {
  return Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().flatMap((one) => [name, String(one)]),
  );
}
