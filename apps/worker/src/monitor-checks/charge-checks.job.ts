import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Logger } from '#libs/platform';
import { type Later, type Work, WorkRunner, later } from '#libs/work';
import { PaidChecksQueue } from './paid-checks-queue.js';
import { PaidChecksService } from './paid-checks.service.js';

const AT_ONCE = 4;

/** Charges accounts for checks of their monitors that their plans do not include. */
@Injectable()
export class ChargeChecksJob extends WorkRunner<Record<string, never>> {
  constructor(
    database: Database,
    queue: PaidChecksQueue,
    private readonly checks: PaidChecksService,
    logger: Logger,
  ) {
    super({ queue, database, logger, concurrency: AT_ONCE });
  }

  protected async handle({ name: accountId }: Work<Record<string, never>>): Promise<Later | void> {
    const seconds = await this.checks.charge(accountId);
    if (seconds !== undefined) return later(seconds);
  }
}
