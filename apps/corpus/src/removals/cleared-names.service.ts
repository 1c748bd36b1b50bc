import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { NameRowsService } from '../names/name-rows.service.js';
import { type NameOf, RemovalsRepository, bestOf } from './removals.repository.js';

@Injectable()
export class ClearedNamesService {
  constructor(
    private readonly rows: NameRowsService,
    private readonly removals: RemovalsRepository,
  ) {}

  /** Removes a source's data about names, and its own names if no other source knows them. */
  async clear(transaction: Transaction, sourceId: number, names: readonly NameOf[]): Promise<void> {
    const heirs = await this.removals.listHeirs(transaction);
    const known = bestOf(await this.removals.listKnownBy(transaction, names, heirs), heirs);
    await this.removals.giveNames(transaction, known, sourceId);
    await this.rows.eraseOf(transaction, known, sourceId);
    const given = new Set(known.map(({ name }) => name));
    await this.rows.erase(
      transaction,
      names.filter(({ name }) => !given.has(name)),
    );
  }
}
