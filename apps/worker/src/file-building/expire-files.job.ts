import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job } from '#libs/platform';
import { keptFrom } from '../files/file-edition.js';
import { FileRowsService } from '../files/file-rows.service.js';
import { FolderQueue } from '../uploads/upload-queues.js';

const PER_RUN_MAX = 100;

@Injectable()
export class ExpireFilesJob implements Job {
  readonly name = 'expire-files';

  constructor(
    private readonly database: Database,
    private readonly files: FileRowsService,
    private readonly folders: FolderQueue,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    const now = this.clock.now();
    for (const file of await this.files.listBefore(this.database, keptFrom(now), PER_RUN_MAX)) {
      await this.database.transaction(async (transaction) => {
        const closed = await this.files.close(transaction, file, now);
        if (closed) await this.folders.remove(transaction, closed.folder);
      });
    }
  }
}
