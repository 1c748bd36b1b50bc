import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { AccountDeletedProblem } from '../../facts/facts.errors.js';
import { applySession } from '../browser/browser-request.js';
import { type ProxiedRoute, ownerPath } from './proxied-route.js';
import type { ServiceProxies } from './service-proxies.js';
import { requireSession } from './sessions.js';
import type { ProxiedCall } from './service-proxy.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sent by a machine that signs its bytes: nothing of a browser is looked for. */
    isSigned?: boolean;
  }
}

/**
 * What a signed sender may not say: whose connection this is, what is ours to say, and headers between two
 * hops (RFC 9110 §7.6.1).
 */
const NOT_PASSED_ON =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|content-type|cookie|authorization|traceparent|tracestate|forwarded|x-forwarded-.*|x-(account|session|device|client|request|user|set|clear|key)-.*|idempotency-key)$/;

/** Hands each call of the table to its owner. */
export function proxyRoutes(
  server: FastifyInstance,
  proxies: ServiceProxies,
  routes: readonly ProxiedRoute[],
): void {
  for (const route of routes.filter(({ access }) => access !== 'signed')) {
    server.route(routeOf(proxies, route));
  }
  // A scope of its own: bytes of any type reach the owner as they came, never parsed or decompressed.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    for (const route of routes.filter(({ access }) => access === 'signed')) {
      scope.route({ ...routeOf(proxies, route), config: { isSigned: true } });
    }
  });
}

function routeOf(proxies: ServiceProxies, route: ProxiedRoute): RouteOptions {
  return {
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: route.bodyLimitBytes,
    handler: (request, reply) => forward(proxies, route, request, reply),
  };
}

async function forward(
  proxies: ServiceProxies,
  route: ProxiedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const proxy = proxies.of(route.owner.service);
  const call = await callOf(proxies, route, request);
  if (route.isStream) {
    const { status, headers, body } = await proxy.stream(call);
    return reply.status(status).headers(headers).send(body);
  }
  const answer = await proxy.call(call);
  if (route.access === 'account') applySession(request, reply, answer);
  if (answer.refusal) throw answer.refusal;
  return reply.status(answer.status).send(answer.body);
}

/** @throws NotLoggedIn, AccountDeletedProblem. */
async function callOf(
  proxies: ServiceProxies,
  route: ProxiedRoute,
  request: FastifyRequest,
): Promise<ProxiedCall> {
  const { access, accountStates = ['active'], method, timeoutMs } = route;
  const { visitor } = request;
  const mark = request.url.indexOf('?');
  const query = mark === -1 ? '' : request.url.slice(mark);
  const path = ownerPath(route, request.params as Record<string, string>, query);
  const call = { method, path, visitor, timeoutMs };
  if (access === 'signed') {
    return { ...call, body: (request.body ?? Buffer.alloc(0)) as Buffer, headers: sent(request) };
  }
  const body = hasBody(method) ? ((request.body ?? {}) as object) : undefined;
  const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
  if (access === 'account') return { ...call, body, idempotencyKey };
  const { accountId, accountState } = await requireSession(proxies.of('account'), visitor);
  if (!(accountStates as string[]).includes(accountState)) throw new AccountDeletedProblem();
  return { ...call, body, idempotencyKey, accountId };
}

function sent({ headers }: FastifyRequest): Record<string, string> {
  const passed = Object.entries(headers).filter(
    (header): header is [string, string] =>
      typeof header[1] === 'string' && !NOT_PASSED_ON.test(header[0]),
  );
  return Object.fromEntries(passed);
}

const hasBody = (method: string) => ['POST', 'PUT', 'PATCH'].includes(method);
