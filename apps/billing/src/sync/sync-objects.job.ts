import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS, type Job, Logger, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { type ClaimedObject, ProcessorObjectsRepository } from './processor-objects.repository.js';
import { SyncService } from './sync.service.js';

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
];

/** Works off what is to be fetched. Several processes share it; each object is with one of them. */
@Injectable()
export class SyncObjectsJob implements Job {
  readonly name = 'sync-objects';
  private running: Promise<void> | undefined;
  private isWanted = false;
  /** Rings at a wish that comes while others are under way. */
  private bell = Promise.withResolvers<void>();

  constructor(
    private readonly objects: ProcessorObjectsRepository,
    private readonly syncing: SyncService,
    private readonly logger: Logger,
  ) {}

  /** Works now; what is due by then is also seen when it is at work already. */
  wake(): void {
    this.isWanted = true;
    this.bell.resolve();
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

  /** Begins with what is due as soon as there is room: an object whose processor is slow holds up no other. */
  private async workOffAll(): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const faults: unknown[] = [];
    const begin = (object: ClaimedObject) => {
      const work: Promise<void> = this.syncOne(object)
        .catch((error: unknown) => void faults.push(error))
        .finally(() => underWay.delete(work));
      underWay.add(work);
    };
    try {
      while (faults.length === 0) {
        this.bell = Promise.withResolvers();
        const room = UNDER_WAY_MAX - underWay.size;
        for (const object of await this.objects.claim(room)) begin(object);
        if (underWay.size === 0) return;
        const isFull = underWay.size === UNDER_WAY_MAX;
        await Promise.race([...underWay, ...(isFull ? [] : [this.bell.promise])]);
      }
    } finally {
      await Promise.all(underWay);
    }
    throw faults[0];
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
