import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { DAY_MS, HOUR_MS, Logger, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { type Later, type Work, WorkRunner, later } from '#libs/work';
import { SyncService, type Synced } from './sync.service.js';
import { type ObjectRef, WantedObjects } from './wanted-objects.js';

/**
 * Maximum number of fetches at a time. A renewal needs two answers, each of which takes a quarter of a second, so
 * 100,000 renewals take less than an hour.
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

/** The error of a failed fetch. The message is the `SyncResult`, with the processor's answer. */
class NotSynced extends Error {}

/** Fetches the objects in the queue and never gives up: failures stay visible and are retried with growing delays. */
@Injectable()
export class SyncObjectsJob extends WorkRunner<ObjectRef> {
  constructor(
    private readonly wanted: WantedObjects,
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

  protected override async handle({ name, payload }: Work<ObjectRef>): Promise<Later | void> {
    // If it were made, an early fetch could request itself again at once, until its time.
    const seconds = this.wanted.waitOf(name);
    if (seconds > 0) return later(seconds);
    const { result, answer } = await this.sync(payload);
    if (result === 'synced') return;
    throw new NotSynced(answer === undefined ? result : `${result} (${answer})`);
  }

  protected override reasonOf(error: unknown): string {
    return error instanceof NotSynced ? error.message : String(error);
  }

  private async sync(ref: ObjectRef): Promise<Synced> {
    try {
      return await this.syncing.syncTold(ref);
    } catch (error) {
      this.logger.error('a fetched object could not be applied', { ...ref, err: error });
      throw error;
    }
  }
}
