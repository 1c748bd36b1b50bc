import type { Job, Logger } from '#libs/platform';
import type { DailyCaps } from './daily-caps.js';

export class FollowCapsJob implements Job {
  readonly name = 'follow-caps';

  constructor(
    private readonly caps: DailyCaps,
    private readonly logger: Logger,
  ) {}

  /** Raises the counts to the log's totals. While the log cannot be read, this gateway relies on its own counts. */
  async runOnce(): Promise<void> {
    try {
      await this.caps.followOthers();
    } catch (error) {
      this.logger.warn('daily caps cannot be compared with the request log', error);
    }
  }
}
