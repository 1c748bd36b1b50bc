import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ExpectationFailed, MalformedRequest } from './platform.errors.js';
import type { Problem } from './problem.js';
import { hasOneHost } from './host-header.js';

/** Rejects a request with a problem, in place of the framework. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, problem: Problem) => void;

const hostFault = new MalformedRequest(' It needs exactly one Host header that names a host.');
const targetFault = new MalformedRequest(' Its target must be a path.');

/**
 * Passes a request to a server's framework only if it has exactly one host and its target is a path or a whole URL (RFC
 * 9112 §3.2). All other requests, including those with an unknown `Expect`, are answered here, because the answers of
 * Node and the framework have a different format (S127).
 */
export function takeProperRequests(server: Server, refuse: Refuse): void {
  const [framework] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const fault = faultOf(request);
    if (fault === undefined) return framework.call(server, request, response);
    response.shouldKeepAlive = false;
    refuse(request, response, fault);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
    refuse(request, response, new ExpectationFailed());
  });
}

function faultOf({ rawHeaders, url = '' }: IncomingMessage): Problem | undefined {
  if (!hasOneHost(rawHeaders)) return hostFault;
  return url.startsWith('/') || /^https?:\/\//i.test(url) ? undefined : targetFault;
}

/** The header that names the problem in an answer to HEAD, which has no body. */
export const PROBLEM_CODE_HEADER = 'x-problem-code';

export const REFUSAL_HEADERS = {
  'content-type': 'application/problem+json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** An internal listener's rejection of a request that reaches no route; it contains no part of the request (S9). */
export const refuseInternally: Refuse = (_request, response, problem) => {
  response.writeHead(problem.status, REFUSAL_HEADERS).end(JSON.stringify(problem.toBody()));
};

/** Answers bytes that the parser of an internal listener refuses. */
export function answerInternalParserError(fault: Error, socket: Socket): void {
  if (!socket.writable || (fault as NodeJS.ErrnoException).code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const problem = new MalformedRequest();
  const body = JSON.stringify(problem.toBody());
  const headers = {
    ...REFUSAL_HEADERS,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n'));
}
