import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { applySession } from './browser/browser-request.js';
import { balanceAnswer, ledgerAnswer } from './credits-answer.js';
import type { DashboardCalls } from './dashboard-calls.js';
import type { AccountCall } from './account-relay.js';

type Route = readonly [method: AccountCall['method'], path: string];

/** What a browser may ask of account. Anything else is refused here, whatever account offers (S86). */
export const ACCOUNT_ROUTES: readonly Route[] = [
  ['POST', '/sign-up'],
  ['POST', '/sign-up/confirm'],
  ['POST', '/log-in'],
  ['POST', '/log-out'],
  ['POST', '/password/forgot'],
  ['POST', '/password/reset'],
  ['POST', '/password/change'],
  ['GET', '/session'],
  ['POST', '/session/reauthenticate'],
  ['GET', '/sessions'],
  ['DELETE', '/sessions/:id'],
  ['GET', '/account'],
  ['PATCH', '/account'],
  ['POST', '/account/delete'],
  ['POST', '/account/restore'],
  ['GET', '/billing-details'],
  ['PUT', '/billing-details'],
  ['GET', '/keys'],
  ['POST', '/keys'],
  ['PATCH', '/keys/:id'],
  ['DELETE', '/keys/:id'],
  ['POST', '/keys/:id/rotate'],
  ['POST', '/keys/:id/reissue'],
];

/** The JSON calls of the dashboard below `/api`, each handed to the service that owns the answer. */
export function apiRoutes(server: FastifyInstance, calls: DashboardCalls): void {
  for (const [method, path] of ACCOUNT_ROUTES) {
    server.route({
      method,
      url: `/api${path}`,
      handler: (request, reply) => relay(calls, method, request, reply),
    });
  }
  server.get('/api/balance', async (request) =>
    balanceAnswer(await calls.balance(request.visitor)),
  );
  server.get<{ Querystring: { cursor?: string } }>('/api/ledger', async (request) =>
    ledgerAnswer(await calls.ledger(request.visitor, request.query.cursor)),
  );
}

async function relay(
  calls: DashboardCalls,
  method: AccountCall['method'],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const answer = await calls.account({
    method,
    path: request.url.slice('/api'.length),
    visitor: request.visitor,
    body: hasBody(method) ? ((request.body ?? {}) as object) : undefined,
    idempotencyKey: request.headers['idempotency-key'] as string | undefined,
  });
  applySession(request, reply, answer);
  if (answer.refusal) throw answer.refusal;
  return reply.status(answer.status).send(answer.body);
}

const hasBody = (method: string) => ['POST', 'PUT', 'PATCH'].includes(method);
