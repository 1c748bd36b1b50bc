import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job } from '#libs/platform';
import { UploadRowsService, UploadsService } from '../uploads/uploads.service.js';

const PER_RUN_MAX = 100;

/** Removes uploads after seven days. */
@Injectable()
export class ExpireUploadsJob implements Job {
  readonly name = 'expire-uploads';

  constructor(
    private readonly database: Database,
    private readonly rows: UploadRowsService,
    private readonly uploads: UploadsService,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    const now = this.clock.now();
    for (const upload of await this.rows.listExpired(this.database, now, PER_RUN_MAX)) {
      await this.uploads.delete(upload);
    }
  }
}
