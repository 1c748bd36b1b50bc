import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { applySession } from '../browser/browser-request.js';
import { type ProxiedRoute, ownerPath } from './proxied-route.js';
import { ServiceProxies } from './service-proxies.js';
import type { ProxiedCall } from './service-proxy.js';

/**
 * What a signed sender may not say: whose connection this is, what is ours to say, and headers between two
 * hops (RFC 9110 §7.6.1).
 */
const NOT_PASSED_ON =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|content-type|cookie|authorization|traceparent|tracestate|forwarded|x-forwarded-.*|x-(account|session|device|client|request|user|set|clear|key)-.*|idempotency-key)$/;

/** Hands a call of the table to its owner. */
@Injectable()
export class ProxyService {
  constructor(private readonly proxies: ServiceProxies) {}

  /** @throws the owner's refusal; ServiceUnavailable. */
  async forward(route: ProxiedRoute, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const proxy = this.proxies.of(route.owner.service);
    const call = callOf(route, request);
    if (route.isStream) {
      const { status, headers, body } = await proxy.stream(call);
      return void reply.status(status).headers(headers).send(body);
    }
    const answer = await proxy.call(call);
    if (route.access === 'account') applySession(request, reply, answer);
    if (answer.refusal) throw answer.refusal;
    void reply.status(answer.status).send(answer.body);
  }
}

function callOf(route: ProxiedRoute, request: FastifyRequest): ProxiedCall {
  const { access, method, timeoutMs } = route;
  const { visitor, session } = request;
  const mark = request.url.indexOf('?');
  const query = mark === -1 ? '' : request.url.slice(mark);
  const path = ownerPath(route, request.params as Record<string, string>, query);
  const call = { method, path, visitor, timeoutMs };
  if (access === 'signed') {
    return { ...call, body: (request.body ?? Buffer.alloc(0)) as Buffer, headers: sent(request) };
  }
  const body = hasBody(method) ? ((request.body ?? {}) as object) : undefined;
  const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
  return { ...call, body, idempotencyKey, accountId: session?.accountId };
}

function sent({ headers }: FastifyRequest): Record<string, string> {
  const passed = Object.entries(headers).filter(
    (header): header is [string, string] =>
      typeof header[1] === 'string' && !NOT_PASSED_ON.test(header[0]),
  );
  return Object.fromEntries(passed);
}

const hasBody = (method: string) => ['POST', 'PUT', 'PATCH'].includes(method);
