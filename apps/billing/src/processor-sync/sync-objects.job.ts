import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { DAY_MS, HOUR_MS, Logger, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { type Work, WorkRunner } from '#libs/work';
import { SyncService } from './sync.service.js';
import { type ObjectRef, WantedObjects } from './wanted-objects.js';

/**
 * Objects under way at the same time. An answer takes a processor a quarter of a second, and a renewal two of them: with
 * these, a hundred thousand are over within an hour. How often a processor is called is limited by its rate.
 */
const UNDER_WAY_MAX = 16;
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
];

/** The processor did not answer with what we could take over; its message is the `SyncResult`. */
class NotSynced extends Error {}

/** Works off what is to be fetched, and never gives up: what fails stays visible, and is tried ever more rarely. */
@Injectable()
export class SyncObjectsJob extends WorkRunner<ObjectRef> {
  constructor(
    wanted: WantedObjects,
    database: Database,
    private readonly syncing: SyncService,
    private readonly logger: Logger,
  ) {
    super({
      queue: wanted,
      database,
      logger,
      concurrency: UNDER_WAY_MAX,
      backOffMs: RETRY_DELAYS_MS,
      triesMax: Infinity,
    });
  }

  protected override async handle({ payload }: Work<ObjectRef>): Promise<void> {
    const result = await this.sync(payload);
    if (result !== 'synced') throw new NotSynced(result);
  }

  protected override reasonOf(error: unknown): string {
    return error instanceof NotSynced ? error.message : String(error);
  }

  private async sync(ref: ObjectRef): Promise<string> {
    try {
      return await this.syncing.sync(ref);
    } catch (error) {
      this.logger.error('a fetched object was not taken over', { ...ref, err: error });
      throw error;
    }
  }
}
