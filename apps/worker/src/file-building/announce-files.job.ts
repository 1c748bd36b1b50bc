import { Injectable } from '@nestjs/common';
import { planDatasetOf } from '#libs/contracts';
import { Database } from '#libs/database';
import { Logger } from '#libs/platform';
import { type Work, WorkRunner } from '#libs/work';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { FileRowsService } from '../files/file-rows.service.js';
import { ServiceClients } from '../service-clients.js';
import { AnnounceQueue, type AnnounceWork } from './announce-queue.js';

const EVENT = 'file.published';

/** Tells the webhooks of accounts whose plan opens a file that it is there. A repeat tells nobody twice. */
@Injectable()
export class AnnounceFilesJob extends WorkRunner<AnnounceWork> {
  // oxlint-disable-next-line eslint/max-params -- a constructor may have six
  constructor(
    private readonly database: Database,
    queue: AnnounceQueue,
    private readonly files: FileRowsService,
    private readonly deliveries: DeliveriesService,
    private readonly clients: ServiceClients,
    logger: Logger,
  ) {
    super({ queue, database, logger, concurrency: 1 });
  }

  protected async handle({ payload, signal }: Work<AnnounceWork>): Promise<void> {
    const file = await this.files.findById(this.database, payload.editionId);
    if (!file) return;
    const { id, dataset, day: date, edition, rows } = file;
    const data = { dataset, date, edition, rows };
    for (const accountId of await this.deliveries.accountsListening(EVENT)) {
      signal.throwIfAborted();
      const { datasets } = await this.clients.entitlement.allowance(accountId);
      if (!datasets.includes(planDatasetOf(dataset))) continue;
      await this.database.transaction((transaction) =>
        this.deliveries.publish(transaction, accountId, { id, type: EVENT, data }),
      );
    }
  }
}
