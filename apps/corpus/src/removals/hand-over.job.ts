import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Clock, type Job, MINUTE_MS } from '#libs/platform';
import { SLICES, rangesOfSlice } from '../names/domain-key.js';
import { contactTerms } from '../records/contact-terms.js';
import { FullListsService } from '../observations/full-lists.service.js';
import { RegistrationsService } from '../registrations/registrations.service.js';
import { type NameOf, RemovalsRepository, type TokenOf, bestOf } from './removals.repository.js';

const ROWS_AT_A_TIME = 1_000;
/** The time limit of a statement that removes a slice of a zone's staged names, of which there may be millions. */
const CLEAR_LIMIT_MS = 10 * MINUTE_MS;

/**
 * Hands the names and values of a removed source over to other sources that know them, preferably to those with the
 * most rights. Data that no other source knows stays hidden. Writers are not blocked while the job searches for rows;
 * they wait while it hands over rows, at most a thousand at a time. After an interruption, it continues after the last
 * completed slice of keys.
 */
@Injectable()
export class HandOverJob implements Job {
  readonly name = 'hand-over-removed';
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly repository: RemovalsRepository,
    private readonly registrations: RegistrationsService,
    private readonly lists: FullListsService,
    private readonly clock: Clock,
  ) {}

  async runOnce(): Promise<void> {
    for (const sourceId of await this.repository.listPending()) {
      await this.handOver(sourceId);
      if (this.isStopped) return;
      for (const fileId of await this.repository.listLoading(sourceId)) {
        await this.clear(fileId);
      }
      await this.repository.finish(sourceId, this.clock.now());
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
  }

  private async clear(fileId: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.limitStatements(CLEAR_LIMIT_MS);
      await this.lists.clear(transaction, fileId);
    });
  }

  private async handOver(sourceId: number): Promise<void> {
    const count = await this.repository.countNames();
    for (let slice = await this.repository.countSlices(sourceId); slice < SLICES; slice += 1) {
      for (const range of rangesOfSlice(slice, count)) {
        const names = await this.repository.listNames(sourceId, range);
        await this.change(names, async (on, some) => this.giveNames(on, sourceId, some));
        const tokens = await this.repository.listTokens(sourceId, range);
        await this.change(tokens, async (on, some) => this.giveTokens(on, sourceId, some));
        if (this.isStopped) return;
      }
      await this.repository.noteSlices(sourceId, slice + 1);
    }
  }

  private async change<Row>(
    rows: readonly Row[],
    work: (transaction: Transaction, some: readonly Row[]) => Promise<void>,
  ): Promise<void> {
    for (let from = 0; from < rows.length && !this.isStopped; from += ROWS_AT_A_TIME) {
      await this.database.transaction(async (transaction) => {
        await this.registrations.lockWriting(transaction);
        await work(transaction, rows.slice(from, from + ROWS_AT_A_TIME));
      });
    }
  }

  private async giveNames(
    transaction: Transaction,
    sourceId: number,
    names: readonly NameOf[],
  ): Promise<void> {
    const heirs = await this.repository.listHeirs(transaction);
    const known = await this.repository.listKnownBy(transaction, names, heirs);
    await this.repository.giveNames(transaction, bestOf(known, heirs), sourceId);
    await this.repository.unlist(transaction, names, sourceId);
  }

  /** If records of other sources also publish a value, gives the value to the first of these sources. */
  private async giveTokens(
    transaction: Transaction,
    sourceId: number,
    tokens: readonly TokenOf[],
  ): Promise<void> {
    const heirs = await this.repository.listHeirs(transaction);
    const names = [...new Map(tokens.map(({ key, name }) => [name, { key, name }])).values()];
    const publishers = new Map<string, Set<number>>();
    for (const seen of await this.repository.listRecords(transaction, names, heirs)) {
      for (const { termKey } of contactTerms(seen.record)) {
        const id = `${termKey} ${seen.name}`;
        publishers.set(id, (publishers.get(id) ?? new Set()).add(seen.sourceId));
      }
    }
    const given = tokens.flatMap((token) => {
      const by = publishers.get(`${token.termKey} ${token.name}`);
      const heir = heirs.find((id) => by?.has(id));
      return heir === undefined ? [] : [{ ...token, sourceId: heir }];
    });
    await this.repository.giveTokens(transaction, given, sourceId);
  }
}
