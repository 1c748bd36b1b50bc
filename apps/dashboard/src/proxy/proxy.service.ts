import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { idempotencyKeyOf } from '#libs/platform';
import { applySession } from '../browser/browser-request.js';
import { readCall, signedPath } from './call-input.js';
import { JoinedAnswersService } from './joined-answers.service.js';
import type { ProxiedRoute } from './proxied-route.js';
import { ServiceProxies } from '../service-calls/service-proxies.js';
import type { ProxiedCall } from '../service-calls/service-proxy.js';
import { TransferService } from './transfer.service.js';

/**
 * Headers that the sender of a signed call may not set: those with the caller's identity, those that the dashboard
 * sets, and hop-by-hop headers (RFC 9110 §7.6.1).
 */
const NOT_PASSED_ON =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|content-type|cookie|authorization|traceparent|tracestate|forwarded|x-forwarded-.*|x-(account|session|device|step|client|request|user|set|clear|key)-.*|idempotency-key)$/;

const DOWNLOAD = {
  'content-type': 'application/json; charset=utf-8',
  'content-disposition': 'attachment; filename="account.json"',
};

@Injectable()
export class ProxyService {
  constructor(
    private readonly proxies: ServiceProxies,
    private readonly joined: JoinedAnswersService,
    private readonly transfers: TransferService,
  ) {}

  /**
   * Makes the call to the owner and sends its answer.
   * @throws InvalidRequest, UnexpectedBody, TooManyCalls, ServiceUnavailable; the owner's rejection; the errors of
   *   `JoinedAnswersService.join` and `TransferService.pass`.
   */
  async forward(route: ProxiedRoute, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const proxy = this.proxies.of(route.owner.service);
    const call = callOf(route, request);
    if (route.parts) {
      const body = await this.joined.join([route.owner, ...route.parts], call);
      return void reply.headers(DOWNLOAD).send(body);
    }
    if (route.transfer) return this.transfers.pass(route, call, request, reply);
    const answer = await proxy.call(call);
    if (route.access === 'owner') applySession(request, reply, answer);
    if (answer.refusal) throw answer.refusal;
    void reply.status(answer.status).send(answer.body);
  }
}

function callOf(route: ProxiedRoute, request: FastifyRequest): ProxiedCall {
  const { access, method, timeoutMs, answerBytes } = route;
  const { visitor, session } = request;
  if (access === 'signed') {
    const path = signedPath(route, request);
    const body = (request.body ?? Buffer.alloc(0)) as Buffer;
    return { method, path, visitor, timeoutMs, answerBytes, body, headers: sent(request) };
  }
  const { url, params } = request;
  // Only the owner reads the body of an upload.
  const asked = route.transfer ? { url, params, body: undefined } : request;
  const { path, body } = readCall(route, asked);
  const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key']);
  const accountId = access === 'session' ? session?.accountId : undefined;
  return { method, path, visitor, timeoutMs, answerBytes, body, idempotencyKey, accountId };
}

function sent({ headers }: FastifyRequest): Record<string, string> {
  const passed = Object.entries(headers).filter(
    (header): header is [string, string] =>
      typeof header[1] === 'string' && !NOT_PASSED_ON.test(header[0]),
  );
  return Object.fromEntries(passed);
}
