import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CallPace, SECOND_MS } from '#libs/platform';
import { TooManyCalls } from './pace.errors.js';

/** The number of calls that a customer may cause at once after a pause. */
const BURST = 60;
/** The interval between later calls. People are slower anyway, and each order stores a row. */
const EVERY_MS = 10 * SECOND_MS;

/**
 * Limits how often one account may cause calls to a processor, or reads of its billing details. All customers share the
 * calls that a processor allows, and callbacks need some of these calls, so one account must not use them up (S102).
 * Each read of billing details adds a row to the audit log, which is never deleted (S122).
 */
@Injectable()
export class AccountPace implements CanActivate {
  private readonly pace = new CallPace({ burst: BURST, everyMs: EVERY_MS });

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const waitMs = this.pace.take(String(headers['x-account-id']));
    if (waitMs > 0) throw new TooManyCalls(Math.ceil(waitMs / SECOND_MS));
    return true;
  }
}
