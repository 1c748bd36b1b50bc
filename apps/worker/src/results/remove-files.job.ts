import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { FileStore } from '#libs/files';
import { Logger } from '#libs/platform';
import { type Work, WorkRunner } from '#libs/work';
import { FolderQueue, type FolderWork } from '../uploads/upload-queues.js';

/** Removes files that are no longer needed. */
@Injectable()
export class RemoveFilesJob extends WorkRunner<FolderWork> {
  constructor(
    database: Database,
    queue: FolderQueue,
    private readonly files: FileStore,
    logger: Logger,
  ) {
    super({ queue, database, logger, concurrency: 1 });
  }

  protected async handle({ payload }: Work<FolderWork>): Promise<void> {
    await this.files.removeAll(payload.prefix);
  }
}
