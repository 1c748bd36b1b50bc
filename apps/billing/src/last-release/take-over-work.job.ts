import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import type { Job } from '#libs/platform';
import { PrintInvoicesJob } from '../invoices/print-invoices.job.js';
import { WantedObjects } from '../processor-sync/wanted-objects.js';
import { OlderWorkRepository } from './older-work.repository.js';

const TAKEN_AT_ONCE = 500;

/**
 * Moves the contents of the last release's queues to the queue of this release: rows that existed at the upgrade, and
 * rows left by the old services when they ended. This job is removed together with those tables.
 */
@Injectable()
export class TakeOverWorkJob implements Job {
  readonly name = 'take-over-work';

  constructor(
    private readonly database: Database,
    private readonly older: OlderWorkRepository,
    private readonly printing: PrintInvoicesJob,
    private readonly objects: WantedObjects,
  ) {}

  async runOnce(): Promise<void> {
    while ((await this.takeSome()) === TAKEN_AT_ONCE);
  }

  private async takeSome(): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const invoices = await this.older.takePrinting(transaction, TAKEN_AT_ONCE);
      for (const invoice of invoices) await this.printing.add(transaction, invoice);
      const refs = await this.older.takeObjects(transaction, TAKEN_AT_ONCE);
      for (const ref of refs) await this.objects.wantObject(transaction, ref);
      return Math.max(invoices.length, refs.length);
    });
  }
}
