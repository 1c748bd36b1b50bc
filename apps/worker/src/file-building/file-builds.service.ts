import { Injectable } from '@nestjs/common';
import { DATASETS } from '#libs/contracts';
import { Database } from '#libs/database';
import { Clock } from '#libs/platform';
import { BuildQueue } from '../files/build-queue.js';
import { dayOf, isWithheld } from '../files/file-edition.js';
import { FileRowsService } from '../files/file-rows.service.js';
import { ServiceClients } from '../service-clients.js';
import { type DueFile, dueFiles } from './file-schedule.js';

/** Decides which files are made. */
@Injectable()
export class FileBuildsService {
  constructor(
    private readonly database: Database,
    private readonly files: FileRowsService,
    private readonly builds: BuildQueue,
    private readonly clients: ServiceClients,
    private readonly clock: Clock,
  ) {}

  /** Whoever asks twice gets each edition once: an edition is numbered by those that are there. */
  async planDue(): Promise<void> {
    await this.plan(dueFiles(this.clock.now()));
    await this.planWithheld();
  }

  /** Has every dataset made of what there is now, although its day is not over. */
  async planNow(): Promise<void> {
    const dueAt = this.clock.now();
    await this.plan(DATASETS.map((dataset) => ({ dataset, day: dayOf(dueAt), dueAt })));
  }

  private async plan(due: readonly DueFile[]): Promise<void> {
    for (const { dataset, day, dueAt } of due) {
      const newest = await this.files.newestOf(this.database, dataset, day);
      if (newest && newest.builtAt >= dueAt) continue;
      const edition = (newest?.edition ?? 0) + 1;
      await this.database.transaction((transaction) =>
        this.builds.build(transaction, { dataset, day, edition }),
      );
    }
  }

  /** The newest files are made again as soon as something that they hold is suppressed; older ones when they are asked for. */
  private async planWithheld(): Promise<void> {
    const suppressed = await this.clients.corpus.suppressionVersion();
    for (const newest of await this.files.listNewest(this.database)) {
      if (!isWithheld(newest, suppressed)) continue;
      const { dataset, day, edition } = newest;
      await this.database.transaction((transaction) =>
        this.builds.build(transaction, { dataset, day, edition: edition + 1 }),
      );
    }
  }
}
