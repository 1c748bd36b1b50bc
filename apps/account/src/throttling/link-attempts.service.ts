import { Injectable } from '@nestjs/common';
import { HOUR_MS, Problem } from '#libs/platform';
import type { Visitor } from '../audit/actor.js';
import { type AttemptLimit, ThrottlingService } from './throttling.service.js';

const NETWORK_LIMIT: AttemptLimit = { name: 'link network', max: 30, windowMs: HOUR_MS };

/** Counts invented links of all kinds by network (S121). */
@Injectable()
export class LinkAttemptsService {
  constructor(private readonly throttling: ThrottlingService) {}

  /** Runs the work of an e-mailed link. Valid links are not counted. @throws TooManyAttempts before any work. */
  async count<Answer>(visitor: Visitor, work: () => Promise<Answer>): Promise<Answer> {
    await this.throttling.countNetwork(NETWORK_LIMIT, visitor);
    let isMadeUp = false;
    try {
      return await work();
    } catch (fault) {
      isMadeUp = fault instanceof Problem && fault.code === 'link_invalid';
      throw fault;
    } finally {
      if (!isMadeUp) await this.throttling.giveBackNetwork(NETWORK_LIMIT, visitor);
    }
  }
}
