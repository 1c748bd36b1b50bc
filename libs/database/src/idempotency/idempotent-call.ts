import { createHash } from 'node:crypto';
import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { idempotencyKeyOf } from '#libs/platform';

/** A call that its client may repeat without repeating the effect. */
export interface IdempotentCall {
  key: string;
  route: string;
  /** The SHA-256 of the parsed body, serialised as JSON; white space in the body does not matter. */
  bodyHash: Buffer;
}

/**
 * Returns the call that the `Idempotency-Key` header names; undefined without the header. @throws InvalidRequest for an
 * invalid key.
 */
function idempotentCallOf(
  request: Pick<FastifyRequest, 'headers' | 'method' | 'url' | 'body'>,
): IdempotentCall | undefined {
  const key = idempotencyKeyOf(request.headers['idempotency-key']);
  if (key === undefined) return undefined;
  const body = JSON.stringify(request.body ?? null);
  return {
    key,
    route: `${request.method} ${request.url.split('?')[0]}`,
    bodyHash: createHash('sha256').update(body).digest(),
  };
}

export const Idempotent = createParamDecorator(
  (_: unknown, context: ExecutionContext): IdempotentCall | undefined =>
    idempotentCallOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
