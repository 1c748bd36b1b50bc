import { Injectable } from '@nestjs/common';
import { DATASETS } from '#libs/contracts';
import { Database } from '#libs/database';
import { Clock, HOUR_MS, SECOND_MS } from '#libs/platform';
import { BuildQueue } from '../files/build-queue.js';
import { dayOf, isWithheld } from '../files/file-edition.js';
import { FileRowsService } from '../files/file-rows.service.js';
import { ServiceClients } from '../service-clients.js';
import { type DueFile, dueFiles } from './file-schedule.js';

@Injectable()
export class FileBuildsService {
  constructor(
    private readonly database: Database,
    private readonly files: FileRowsService,
    private readonly builds: BuildQueue,
    private readonly clients: ServiceClients,
    private readonly clock: Clock,
  ) {}

  /**
   * Plans the builds that are due, and the replacement of the newest files that may contain suppressed values. A repeat
   * plans the same editions, because their numbers follow the existing ones.
   */
  async planDue(): Promise<void> {
    await this.plan(dueFiles(this.clock.now()));
    await this.planWithheld();
  }

  /**
   * Plans builds of all files that should exist from the current data, including today's files, although the day is not
   * over. Builds that `hold` postponed also run.
   */
  async planNow(): Promise<void> {
    const dueAt = this.clock.now();
    const today = DATASETS.map((dataset) => ({ dataset, day: dayOf(dueAt) }));
    await this.plan([...dueFiles(dueAt), ...today].map((file) => ({ ...file, dueAt })));
    await this.builds.pause(this.database, 0);
  }

  /**
   * Postpones all builds until `planNow` is called, for at most an hour, because the installation is about to be filled
   * with data.
   */
  async hold(): Promise<void> {
    await this.builds.pause(this.database, HOUR_MS / SECOND_MS);
  }

  private async plan(due: readonly DueFile[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const newest = await this.files.listNewestOf(transaction, due);
      for (const [place, { dataset, day, dueAt }] of due.entries()) {
        const { edition = 0, builtAt } = newest[place] ?? {};
        if (builtAt && builtAt >= dueAt) continue;
        await this.builds.build(transaction, { dataset, day, edition: edition + 1 });
      }
    });
  }

  /**
   * Plans the replacement of the newest files if values were suppressed after they were built.
   * Older files are replaced when they are requested.
   */
  private async planWithheld(): Promise<void> {
    const suppressed = await this.clients.corpus.suppressionVersion();
    for (const newest of await this.files.listNewest(this.database)) {
      if (!isWithheld(newest, suppressed)) continue;
      await this.database.transaction((transaction) => this.builds.replace(transaction, newest));
    }
  }
}
