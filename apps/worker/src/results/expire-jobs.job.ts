import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job, MINUTE_MS, forEachInOrder } from '#libs/platform';
import { JobQueues } from '../jobs/job-queues.js';
import { JobRowsService } from '../jobs/job-rows.service.js';

const PER_RUN_MAX = 100;
/** The time limit of the statement that deletes the rows of a job's chunks. */
const DELETE_LIMIT_MS = 2 * MINUTE_MS;

/** Removes results after 30 days. */
@Injectable()
export class ExpireJobsJob implements Job {
  readonly name = 'expire-jobs';

  constructor(
    private readonly database: Database,
    private readonly jobs: JobRowsService,
    private readonly queues: JobQueues,
    private readonly clock: Clock,
  ) {}

  /** @throws AggregateError if some jobs could not be expired, after all were tried. */
  async runOnce(): Promise<void> {
    const expired = await this.jobs.listExpired(this.database, this.clock.now(), PER_RUN_MAX);
    await forEachInOrder(expired, (id) => this.expire(id));
  }

  private async expire(id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.limitStatements(DELETE_LIMIT_MS);
      await this.jobs.expire(transaction, id);
      const prefix = `jobs/${id}/`;
      await this.queues.folders.want(transaction, { name: prefix, payload: { prefix } });
    });
  }
}
