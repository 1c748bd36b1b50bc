import { Injectable } from '@nestjs/common';
import { DAY_MS, type Job, forEachInOrder } from '#libs/platform';
import { LogMaintenanceRepository } from './log-maintenance.repository.js';

const DELETED_AT_ONCE = 10_000;
/**
 * For how long an erasure is repeated: rows may arrive this late, from a gateway's memory or from the journal of a
 * killed gateway.
 */
const REMEMBERED_MS = 7 * DAY_MS;

/** Deletes the requests of erased accounts in batches, so that other writers are not delayed. */
@Injectable()
export class EraseLogsJob implements Job {
  readonly name = 'erase-logs';

  constructor(private readonly log: LogMaintenanceRepository) {}

  /** @throws AggregateError if some accounts could not be erased, after all were tried. */
  async runOnce(): Promise<void> {
    await forEachInOrder(await this.log.listErasures(), (accountId) => this.erase(accountId));
    await this.log.deleteErasures(REMEMBERED_MS);
  }

  private async erase(accountId: string): Promise<void> {
    while ((await this.log.deleteRows(accountId, DELETED_AT_ONCE)) > 0);
    await this.log.finishErasure(accountId);
  }
}
