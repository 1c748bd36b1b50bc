import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidRequest } from '#libs/platform';

const COUNT = /^[0-9]{1,6}$/;

/** How many live keys the plan allows: `x-key-allowance`, set by the gateway, which knows the plan. */
export const KeyAllowance = createParamDecorator(
  (_: unknown, context: ExecutionContext): number => {
    const header = context.switchToHttp().getRequest<FastifyRequest>().headers['x-key-allowance'];
    if (typeof header !== 'string' || !COUNT.test(header)) {
      throw new InvalidRequest([{ field: 'x-key-allowance', message: 'must be a number of keys' }]);
    }
    return Number(header);
  },
);
