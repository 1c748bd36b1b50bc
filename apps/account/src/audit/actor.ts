import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidRequest, isId } from '#libs/platform';

export interface Visitor {
  /** The IPv4 or IPv6 address; empty if unknown. */
  address: string;
  userAgent: string;
  requestId: string;
  /** A token that proves that this browser has logged in before; empty if there is none. */
  deviceToken: string;
  /** The token of an unfinished log-in; empty if there is none. */
  stepToken: string;
  /** The token of the browser's current session, which may have ended; empty if there is none. */
  sessionToken: string;
}

export interface Actor {
  accountId: string;
  personId: string;
  visitor: Visitor;
}

/** An API key that acts for its account. */
export interface KeyActor {
  accountId: string;
  keyId: string;
  visitor: Visitor;
}

export interface Operator {
  /** The name given on the command line; it is not verified. */
  operator: string;
}

const HEADER_LENGTH_MAX = 300;

/** Returns the visitor of a call, from the headers that the dashboard or the gateway sets. */
export function visitorOf({ headers }: Pick<FastifyRequest, 'headers'>): Visitor {
  const text = (name: string) => String(headers[name] ?? '').slice(0, HEADER_LENGTH_MAX);
  return {
    address: text('x-client-address'),
    userAgent: text('x-user-agent'),
    requestId: text('x-request-id'),
    deviceToken: text('x-device-token'),
    stepToken: text('x-step-token'),
    sessionToken: text('x-session-token'),
  };
}

export const CurrentVisitor = createParamDecorator(
  (_: unknown, context: ExecutionContext): Visitor =>
    visitorOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The key with which an API call is made, from the headers that the gateway sets. A call without them gets 400. */
export const CallingKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): KeyActor => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { 'x-account-id': accountId, 'x-key-id': keyId } = request.headers;
    if (!isId(accountId) || !isId(keyId)) {
      throw new InvalidRequest([{ field: 'x-key-id', message: 'must be the id of a key' }]);
    }
    return { accountId, keyId, visitor: visitorOf(request) };
  },
);
