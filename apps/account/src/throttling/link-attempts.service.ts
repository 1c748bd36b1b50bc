import { Injectable } from '@nestjs/common';
import { HOUR_MS, Problem } from '#libs/platform';
import type { Visitor } from '../audit/actor.js';
import { type AttemptLimit, ThrottlingService } from './throttling.service.js';

const NETWORK_LIMIT: AttemptLimit = { name: 'link network', max: 30, windowMs: HOUR_MS };
/**
 * Higher than the limit for links, because log-ins that took too long also count, and an office may share one address.
 */
const STEP_LIMIT: AttemptLimit = { name: 'step network', max: 120, windowMs: HOUR_MS };

/** Counts invented links of all kinds, and invented tokens of unfinished log-ins, by network (S121). */
@Injectable()
export class LinkAttemptsService {
  constructor(private readonly throttling: ThrottlingService) {}

  /** Runs the work of an e-mailed link. Valid links are not counted. @throws TooManyAttempts before any work. */
  async count<Answer>(visitor: Visitor, work: () => Promise<Answer>): Promise<Answer> {
    return this.countWith({ limit: NETWORK_LIMIT, code: 'link_invalid' }, visitor, work);
  }

  /**
   * Runs the next step of a log-in. Steps of pending log-ins are not counted. @throws TooManyAttempts before any work.
   */
  async countStep<Answer>(visitor: Visitor, work: () => Promise<Answer>): Promise<Answer> {
    return this.countWith({ limit: STEP_LIMIT, code: 'log_in_over' }, visitor, work);
  }

  private async countWith<Answer>(
    { limit, code }: { limit: AttemptLimit; code: string },
    visitor: Visitor,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    await this.throttling.countNetwork(limit, visitor);
    let isMadeUp = false;
    try {
      return await work();
    } catch (fault) {
      isMadeUp = fault instanceof Problem && fault.code === code;
      throw fault;
    } finally {
      if (!isMadeUp) await this.throttling.giveBackNetwork(limit, visitor);
    }
  }
}
