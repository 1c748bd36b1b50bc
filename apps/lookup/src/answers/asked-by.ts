import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

export interface AskedBy {
  /** Whether the gateway charged the same request less than a minute ago. */
  repeat: boolean;
  asker?: string;
}

export const AskedBy = createParamDecorator((_: unknown, context: ExecutionContext): AskedBy => {
  const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
  const asker = headers['x-account-id'];
  return {
    repeat: headers['x-repeat'] === '1',
    ...(typeof asker === 'string' && { asker }),
  };
});

export interface Asking extends AskedBy {
  /** Aborted when no caller waits for the answer any longer. */
  signal: AbortSignal;
  /** False for the names of jobs and of the collector, whose many answers would evict the answers to live questions. */
  isKept?: boolean;
  /** Whether the corpus itself wants to know the name, so that a host below a name may be stored. */
  isCollected?: boolean;
}
