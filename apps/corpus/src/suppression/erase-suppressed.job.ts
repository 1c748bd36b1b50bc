import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job } from '#libs/platform';
import { ALL_KEYS } from '../names/domain-key.js';
import { NameRowsService } from '../names/name-rows.service.js';
import { SuppressionsRepository } from './suppressions.repository.js';
import { SuppressionsService } from './suppressions.service.js';

const NAMES_AT_A_TIME = 1_000;

/**
 * Checks all records and names while there is a suppressed value for which they have not been checked, and erases
 * suppressed data. After an interruption, the job continues where it was: checking hundreds of millions of names takes
 * hours.
 */
@Injectable()
export class EraseSuppressedJob implements Job {
  readonly name = 'erase-suppressed';
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly repository: SuppressionsRepository,
    private readonly rows: NameRowsService,
    private readonly suppressions: SuppressionsService,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    const values = await this.suppressions.valuesNow(this.database);
    // Another process may suppress a value between the two statements.
    const pending = (await this.repository.list(this.database)).filter(
      ({ isErased, version }) => !isErased && version <= values.version,
    );
    if (pending.length === 0) return;
    const begun = await this.repository.position();
    // While a restored database lacks the erasure of a value, nothing is answered, so the pass for it begins at once.
    const restored = pending.findLast(({ isHidden }) => !isHidden)?.version ?? 0;
    let position =
      begun && begun.version >= restored
        ? begun
        : { version: pending.at(-1)!.version, key: ALL_KEYS.fromKey, name: '' };
    while (!this.isStopped) {
      const names = await this.repository.listNames(position, NAMES_AT_A_TIME);
      position = { ...position, ...names.at(-1) };
      await this.database.transaction(async (transaction) => {
        await this.repository.lockWriting(transaction);
        const gone = names.filter(({ name }) => values.hasName(name));
        await this.rows.erase(transaction, gone);
        const revisions = await this.repository.listRevisions(transaction, names);
        await this.suppressions.erase(transaction, revisions, values);
        await this.repository.setPosition(transaction, position);
      });
      if (names.length < NAMES_AT_A_TIME) break;
    }
    if (this.isStopped) return;
    await this.repository.finish(position.version, this.clock.now());
    await this.suppressions.valuesNow(this.database);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
  }
}
