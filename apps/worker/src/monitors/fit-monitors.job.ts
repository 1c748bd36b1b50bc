import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, Logger, SECOND_MS } from '#libs/platform';
import { LATER_MAX_SECONDS, type Later, type Work, WorkRunner, later } from '#libs/work';
import { ServiceClients } from '../service-clients.js';
import { MonitorsService } from './monitors.service.js';
import { SlotsQueue } from './slots-queue.js';

const AT_ONCE = 4;
/** The shortest wait for the end of an allowance, because entitlement's clock may be a little behind. */
const WAIT_MIN_SECONDS = 60;

/**
 * Pauses the monitors that exceed an allowance, and resumes those that it covers again. Rights that end by time alone,
 * such as those of an overdue plan, bring no event, so the work waits for the end of the allowance.
 */
@Injectable()
export class FitMonitorsJob extends WorkRunner<Record<string, never>> {
  constructor(
    database: Database,
    queue: SlotsQueue,
    private readonly monitors: MonitorsService,
    private readonly clients: ServiceClients,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    super({ queue, database, logger, concurrency: AT_ONCE });
  }

  protected async handle({
    name: accountId,
  }: Work<Record<string, never>>): Promise<Later | undefined> {
    const { monitors, validUntil } = await this.clients.entitlement.allowance(accountId);
    const hasAny = await this.monitors.fit(accountId, monitors);
    if (!hasAny || validUntil === undefined) return undefined;
    const seconds = (Date.parse(validUntil) - this.clock.now().getTime()) / SECOND_MS;
    return later(Math.min(Math.max(seconds, WAIT_MIN_SECONDS), LATER_MAX_SECONDS));
  }
}
