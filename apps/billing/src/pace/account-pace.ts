import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SECOND_MS, monotonicMs } from '#libs/platform';
import { TooManyCalls } from './pace.errors.js';

/** The number of calls that a customer may cause at once after a pause. */
const BURST = 60;
/** The interval between later calls. People are slower anyway, and each order stores a row. */
const EVERY_MS = 10 * SECOND_MS;
/** At this number of accounts in memory, those whose full burst is available again are removed. */
const ACCOUNTS_MAX = 10_000;

/**
 * Limits how often one account may cause calls to a processor, or reads of its billing details. All customers share the
 * calls that a processor allows, and callbacks need some of these calls, so one account must not use them up (S102).
 * Each read of billing details adds a row to the audit log, which is never deleted (S122).
 */
@Injectable()
export class AccountPace implements CanActivate {
  /** When each account's full burst is available again. */
  private readonly fullAtMs = new Map<string, number>();

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const waitMs = this.take(String(headers['x-account-id']), monotonicMs());
    if (waitMs > 0) throw new TooManyCalls(Math.ceil(waitMs / SECOND_MS));
    return true;
  }

  /** Counts a call. @returns 0, or the milliseconds to wait if the call is not allowed; such a call is not counted. */
  take(accountId: string, nowMs: number): number {
    const fullAtMs = Math.max(this.fullAtMs.get(accountId) ?? 0, nowMs);
    const waitMs = fullAtMs - nowMs - (BURST - 1) * EVERY_MS;
    if (waitMs > 0) return waitMs;
    if (this.fullAtMs.size >= ACCOUNTS_MAX) this.forgetPaused(nowMs);
    this.fullAtMs.set(accountId, fullAtMs + EVERY_MS);
    return 0;
  }

  private forgetPaused(nowMs: number): void {
    for (const [accountId, fullAtMs] of this.fullAtMs) {
      if (fullAtMs <= nowMs) this.fullAtMs.delete(accountId);
    }
  }
}
