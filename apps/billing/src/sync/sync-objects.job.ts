import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS, type Job, Logger, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { type ClaimedObject, ProcessorObjectsRepository } from './processor-objects.repository.js';
import { SyncService } from './sync.service.js';

const CLAIM_MAX = 16;
/** Fetches at the same time: what a processor takes from one account without complaint. */
const PARALLEL = 4;
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
];

/** Works off what is to be fetched. Several processes share it; each object is with one of them. */
@Injectable()
export class SyncObjectsJob implements Job {
  readonly name = 'sync-objects';
  private running: Promise<void> | undefined;
  private isWanted = false;

  constructor(
    private readonly objects: ProcessorObjectsRepository,
    private readonly syncing: SyncService,
    private readonly logger: Logger,
  ) {}

  /** Works now; once more afterwards when it is at work already. */
  wake(): void {
    this.isWanted = true;
    this.running ??= this.runWanted();
  }

  /** Resolves when nothing is due any more and nothing of this process is under way. */
  async runOnce(): Promise<void> {
    await this.running;
    await this.workOffAll();
  }

  /** Waits for what `wake` began. */
  async onApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async workOffAll(): Promise<void> {
    for (;;) {
      const claimed = await this.objects.claim(CLAIM_MAX);
      if (claimed.length === 0) return;
      const rest = claimed.values();
      await Promise.all(Array.from({ length: PARALLEL }, () => this.workOff(rest)));
    }
  }

  private async runWanted(): Promise<void> {
    try {
      while (this.isWanted) {
        this.isWanted = false;
        await this.workOffAll();
      }
    } catch (error) {
      this.logger.error(`job ${this.name} failed`, { err: error });
    } finally {
      this.running = undefined;
    }
  }

  private async workOff(rest: Iterable<ClaimedObject>): Promise<void> {
    for (const claimed of rest) await this.syncOne(claimed);
  }

  private async syncOne(claimed: ClaimedObject): Promise<void> {
    let fault: string;
    try {
      const result = await this.syncing.sync(claimed);
      if (result === 'synced') {
        await this.objects.finish(claimed);
        return;
      }
      fault = result;
    } catch (error) {
      fault = String(error);
      const { processor, kind, id } = claimed;
      this.logger.error('a fetched object was not taken over', { processor, kind, id, err: error });
    }
    const delayMs = RETRY_DELAYS_MS.at(claimed.attempts) ?? DAY_MS;
    await this.objects.fail(claimed, { error: fault, delayMs });
  }
}
