import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, newId } from '#libs/platform';
import { type RankedSources, type Source, scopeOfZone } from './source.js';
import { type Batch, SourcesRepository } from './sources.repository.js';

@Injectable()
export class SourcesService {
  constructor(
    private readonly repository: SourcesRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns the id of a source, which is added if it does not exist. */
  async ensure(transaction: Transaction, source: Omit<Source, 'id'>): Promise<number> {
    const known = await this.repository.find(transaction, source.name);
    return known ?? this.repository.add(transaction, source, this.clock.now());
  }

  async find(transaction: Transaction, name: string): Promise<number | undefined> {
    return this.repository.find(transaction, name);
  }

  async listRanked(transaction: Transaction, id: number): Promise<RankedSources> {
    return this.repository.listRanked(transaction, id);
  }

  async isRemoved(transaction: Transaction, id: number): Promise<boolean> {
    return this.repository.isRemoved(transaction, id);
  }

  /**
   * Returns whether another source has listed a complete zone since a given time. Such a list may contain names that an
   * older list lacks.
   */
  async isListedSince(
    transaction: Transaction,
    { sourceId, at }: { sourceId: number; at: Date },
    zone: string,
  ): Promise<boolean> {
    return this.repository.hasNewerList(transaction, { sourceId, at, scope: scopeOfZone(zone) });
  }

  async addBatch(transaction: Transaction, batch: Omit<Batch, 'id' | 'loadedAt'>): Promise<void> {
    const loadedAt = this.clock.now();
    await this.repository.addBatch(transaction, { ...batch, id: newId(), loadedAt });
  }

  /** Adds to the count of a source's data, by the times of observation. */
  async count(transaction: Transaction, sourceId: number, times: readonly Date[]): Promise<void> {
    if (times.length === 0) return;
    const sorted = times.toSorted((a, b) => a.getTime() - b.getTime());
    const [firstAt, lastAt] = [sorted[0], sorted.at(-1)!];
    const now = this.clock.now();
    const count = { observations: times.length, firstAt, lastAt, now };
    await this.repository.count(transaction, sourceId, count);
  }

  /** Adds data that was observed at one time to the count of its source. */
  async countAt(
    transaction: Transaction,
    sourceId: number,
    observations: number,
    at: Date,
  ): Promise<void> {
    if (observations === 0) return;
    const now = this.clock.now();
    const count = { observations, firstAt: at, lastAt: at, now };
    await this.repository.count(transaction, sourceId, count);
  }

  /** Deletes a source that no longer has any data. */
  async remove(transaction: Transaction, id: number): Promise<void> {
    await this.repository.remove(transaction, id);
  }
}
