import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Logger } from '#libs/platform';
import { type Work, WorkRunner } from '#libs/work';
import { ServiceClients } from '../service-clients.js';
import { MonitorsService } from './monitors.service.js';
import { SlotsQueue } from './slots-queue.js';

const AT_ONCE = 4;

/** Pauses the monitors that exceed an allowance, and resumes those that it covers again. */
@Injectable()
export class FitMonitorsJob extends WorkRunner<Record<string, never>> {
  constructor(
    database: Database,
    queue: SlotsQueue,
    private readonly monitors: MonitorsService,
    private readonly clients: ServiceClients,
    logger: Logger,
  ) {
    super({ queue, database, logger, concurrency: AT_ONCE });
  }

  protected async handle({ name: accountId }: Work<Record<string, never>>): Promise<void> {
    const { monitors } = await this.clients.entitlement.allowance(accountId);
    await this.monitors.fit(accountId, monitors);
  }
}
