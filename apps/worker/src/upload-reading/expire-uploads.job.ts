import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job, forEachInOrder } from '#libs/platform';
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

  /** @throws AggregateError if some uploads could not be removed, after all were tried. */
  async runOnce(): Promise<void> {
    const now = this.clock.now();
    const expired = await this.rows.listExpired(this.database, now, PER_RUN_MAX);
    await forEachInOrder(expired, (upload) => this.uploads.delete(upload));
  }
}
