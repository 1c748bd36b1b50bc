import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { Key } from './domain-key.js';
import { NameRowsRepository } from './name-rows.repository.js';

@Injectable()
export class NameRowsService {
  constructor(private readonly repository: NameRowsRepository) {}

  /** Removes names with all their data, including staged data. */
  async erase(
    transaction: Transaction,
    names: readonly { key: Key; name: string }[],
  ): Promise<void> {
    if (names.length > 0) await this.repository.erase(transaction, names);
  }

  /** Removes one source's data about names, but not the names. */
  async eraseOf(
    transaction: Transaction,
    names: readonly { key: Key; name: string }[],
    sourceId: number,
  ): Promise<void> {
    if (names.length > 0) await this.repository.eraseOf(transaction, names, sourceId);
  }
}
