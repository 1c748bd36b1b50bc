import { setTimeout as sleep } from 'node:timers/promises';
import type { Lock, RequestRelease } from '@tus/server';
import { type Logger, Loop, MINUTE_MS, SECOND_MS, monotonicMs, newId } from '#libs/platform';
import type { UploadLocksRepository } from './upload-locks.repository.js';

const RENEWAL_MS = SECOND_MS;
const PAUSE_MS = 200;
/** Within this time, the holder releases the lock at its next renewal or, if it crashed, the lock expires. */
const PATIENCE_MS = MINUTE_MS / 2;
/**
 * The status for a locked upload, for which tus defines no error. The gateway turns this status into the answer
 * `upload_locked`.
 */
const LOCKED = { status_code: 423, body: 'locked' };

/**
 * The lock that the tus library takes on an upload. A later request takes the lock over, and the earlier request ends.
 */
export class UploadLock implements Lock {
  private readonly holder = newId();
  private renewals?: Loop;

  constructor(
    private readonly locks: UploadLocksRepository,
    private readonly uploadId: string,
    private readonly logger: Logger,
  ) {}

  /**
   * Waits for the lock, and then renews it in the background until `unlock`.
   * @param letGo ends this request; called when a later request wants the lock.
   * @throws status 423 if another request keeps the lock, or if the signal is aborted meanwhile.
   */
  async lock(signal: AbortSignal, letGo: RequestRelease): Promise<void> {
    const untilMs = monotonicMs() + PATIENCE_MS;
    while (!(await this.locks.take(this.uploadId, this.holder))) {
      if (signal.aborted || monotonicMs() > untilMs) throw LOCKED;
      await sleep(PAUSE_MS);
    }
    const work = () => this.renew(letGo);
    const { logger } = this;
    this.renewals = new Loop({ name: 'lock of an upload', intervalMs: RENEWAL_MS, logger, work });
    void this.renewals.start(RENEWAL_MS);
  }

  async unlock(): Promise<void> {
    await this.renewals?.stop();
    await this.locks.release(this.uploadId, this.holder);
  }

  private async renew(letGo: RequestRelease): Promise<void> {
    if (!(await this.locks.renew(this.uploadId, this.holder))) await letGo();
  }
}
