import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  createParamDecorator,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { isId } from '../ids.js';
import { CallerNotAllowed, InvalidRequest } from '../platform.errors.js';
import type { ServiceName } from './pair-secrets.js';
import { ServiceTokens } from './service-token.js';

const ALLOWED_CALLERS = 'allowed-callers';

/**
 * Names the services that may call a route, or `anyone` for probes. A route without this decorator is refused and fails
 * the tests (S86).
 */
export const AllowCallers = (...callers: (ServiceName | 'anyone')[]) =>
  SetMetadata(ALLOWED_CALLERS, callers);

/** This process's name as an audience of service tokens. */
export abstract class ServiceIdentity {
  abstract readonly name: ServiceName;
}

/** Returns the service that makes an internal call; undefined without a valid token for `audience`. */
export function callerOf(
  { headers }: FastifyRequest,
  tokens: ServiceTokens,
  audience: ServiceName,
): ServiceName | undefined {
  const [scheme, token] = (headers.authorization ?? '').split(' ');
  return scheme === 'Bearer' && token ? tokens.verify(token, audience) : undefined;
}

/** Refuses an internal call without a token for this service from an allowed caller. */
@Injectable()
export class ServiceGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: ServiceTokens,
    private readonly identity: ServiceIdentity,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    // Event handlers are reached through the transport, not through a route.
    if (context.getType() !== 'http') return true;
    const allowed = this.reflector.getAllAndOverride<(ServiceName | 'anyone')[] | undefined>(
      ALLOWED_CALLERS,
      [context.getHandler(), context.getClass()],
    );
    if (allowed?.includes('anyone')) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = callerOf(request, this.tokens, this.identity.name);
    if (!caller || !allowed?.includes(caller)) throw new CallerNotAllowed();
    return true;
  }
}

/** The account to which a call applies, from the header `x-account-id`. A call without a valid id gets 400. */
export const AccountId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['x-account-id'];
  if (!isId(header)) {
    throw new InvalidRequest([{ field: 'x-account-id', message: 'must be an account id' }]);
  }
  return header;
});
