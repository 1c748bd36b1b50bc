import { Injectable } from '@nestjs/common';
import { planDatasetOf } from '#libs/contracts';
import { Database } from '#libs/database';
import { Logger } from '#libs/platform';
import { type Work, WorkRunner } from '#libs/work';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import type { FileEdition } from '../files/file-edition.js';
import { FileRowsService } from '../files/file-rows.service.js';
import { ServiceClients } from '../service-clients.js';
import { AnnounceQueue, type AnnounceWork } from './announce-queue.js';

const EVENT = 'file.published';
/** The number of accounts per work item: few enough to be handled even if every call times out. */
const ACCOUNTS_AT_A_TIME = 30;

/**
 * Notifies the webhooks of all accounts whose plan includes a new file. Each work item handles some accounts and adds
 * another work item for the rest. A repeated work item notifies no account twice.
 */
@Injectable()
export class AnnounceFilesJob extends WorkRunner<AnnounceWork> {
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

  protected async handle(work: Work<AnnounceWork>): Promise<void> {
    const { editionId, after } = work.payload;
    const file = await this.files.findById(this.database, editionId);
    if (!file) return;
    const page = { after, limit: ACCOUNTS_AT_A_TIME };
    const accounts = await this.deliveries.accountsListening(EVENT, page);
    for (const accountId of accounts) {
      work.signal.throwIfAborted();
      await this.tell(accountId, file);
    }
    if (accounts.length < ACCOUNTS_AT_A_TIME) return;
    const last = accounts.at(-1)!;
    await this.database.transaction(async (transaction) => {
      const payload = { editionId, after: last };
      await this.queue.add(transaction, { name: `${editionId} ${last}`, payload });
      await work.finish(transaction);
    });
  }

  private async tell(accountId: string, file: FileEdition): Promise<void> {
    const { id, dataset, day: date, edition, rows } = file;
    const { datasets } = await this.clients.entitlement.allowance(accountId);
    if (!datasets.includes(planDatasetOf(dataset))) return;
    const data = { dataset, date, edition, rows };
    await this.database.transaction((transaction) =>
      this.deliveries.publish(transaction, accountId, { id, type: EVENT, data }),
    );
  }
}
