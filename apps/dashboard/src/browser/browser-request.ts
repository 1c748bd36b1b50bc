import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newRequestId } from '#libs/public-http';
import type { ProxiedAnswer, BrowserCaller } from '../service-calls/service-proxy.js';
import {
  CSRF_COOKIE,
  DEVICE_COOKIE,
  SESSION_COOKIE,
  STEP_COOKIE,
  csrfCookie,
  deviceCookie,
  endedSessionCookie,
  endedStepCookie,
  readCookie,
  sessionCookie,
  stepCookie,
} from './cookies.js';
import { visitorAddress } from './visitor-address.js';

declare module 'fastify' {
  interface FastifyRequest {
    visitor: BrowserCaller;
    /** The token that the forms and scripts of this page must send back. */
    csrfToken: string;
  }
}

const USER_AGENT_LENGTH_MAX = 300;

/**
 * Sets `request.visitor`, `request.csrfToken` and the answer's `x-request-id`. A browser without a CSRF token gets one.
 */
export function identifyBrowser(request: FastifyRequest, reply: FastifyReply): void {
  const { cookie } = request.headers;
  request.visitor = {
    sessionToken: readCookie(cookie, SESSION_COOKIE),
    deviceToken: readCookie(cookie, DEVICE_COOKIE),
    stepToken: readCookie(cookie, STEP_COOKIE),
    clientAddress: visitorAddress(request),
    userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_LENGTH_MAX),
    // The id never comes from the client, because operators find accounts by it.
    requestId: newRequestId(),
  };
  void reply.header('x-request-id', request.visitor.requestId);
  request.csrfToken = readCookie(cookie, CSRF_COOKIE) ?? renewCsrfToken(reply);
}

/**
 * Sets or clears the cookies of the session, the unfinished log-in and the browser, as account's answer requires. A new
 * session gets a new CSRF token. A session that continues under a new token keeps it, for the forms of its open pages.
 */
export function applySession(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ProxiedAnswer,
): void {
  if (answer.beginsStep) void reply.header('set-cookie', stepCookie(answer.beginsStep));
  else if (answer.beginsSession && request.visitor.stepToken) {
    void reply.header('set-cookie', endedStepCookie());
  }
  if (answer.deviceToken) void reply.header('set-cookie', deviceCookie(answer.deviceToken));
  if (answer.beginsSession) {
    void reply.header('set-cookie', sessionCookie(answer.beginsSession));
    request.visitor.sessionToken = answer.beginsSession;
    if (!request.session) request.csrfToken = renewCsrfToken(reply);
  } else if (answer.endsSession) {
    void reply.header('set-cookie', endedSessionCookie());
    request.visitor.sessionToken = undefined;
  }
}

function renewCsrfToken(reply: FastifyReply): string {
  const token = randomBytes(32).toString('base64url');
  void reply.header('set-cookie', csrfCookie(token));
  return token;
}
