import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job } from '#libs/platform';
import { JobQueues } from '../jobs/job-queues.js';
import { JobRowsService } from '../jobs/job-rows.service.js';

const PER_RUN_MAX = 100;

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

  async runOnce(): Promise<void> {
    for (const id of await this.jobs.listExpired(this.database, this.clock.now(), PER_RUN_MAX)) {
      await this.database.transaction(async (transaction) => {
        await this.jobs.expire(transaction, id);
        const prefix = `jobs/${id}/`;
        await this.queues.folders.want(transaction, { name: prefix, payload: { prefix } });
      });
    }
  }
}
