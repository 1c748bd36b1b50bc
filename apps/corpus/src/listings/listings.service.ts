import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { SuppressionsService } from '../suppression/suppressions.service.js';
import {
  type BlockList,
  type ListedHost,
  ListedNamesRepository,
} from './listed-names.repository.js';

export type { BlockList, ListedHost } from './listed-names.repository.js';

@Injectable()
export class ListingsService {
  constructor(
    private readonly repository: ListedNamesRepository,
    private readonly suppressions: SuppressionsService,
  ) {}

  /**
   * Imports a list in the caller's transaction, without hosts of suppressed names.
   * @param hosts all of them are read before this locks any row that other writers may need.
   * @returns how many hosts were listed before, how many were added, and how many were delisted.
   */
  async take(
    transaction: Transaction,
    list: BlockList,
    hosts: AsyncIterable<readonly ListedHost[]>,
  ): Promise<{ known: number; listed: number; delisted: number }> {
    await this.repository.stage(transaction, list.fileId, hosts);
    const suppressed = await this.suppressions.lockWriting(transaction);
    if (suppressed.version > 0) {
      const gone: ListedHost[] = [];
      for await (const staged of this.repository.listStaged(transaction, list.fileId)) {
        gone.push(...staged.filter(({ name }) => suppressed.hasName(name)));
      }
      if (gone.length > 0) await this.repository.unstage(transaction, list.fileId, gone);
    }
    const known = await this.repository.count(transaction, list);
    const listed = await this.repository.add(transaction, list);
    const delisted = await this.repository.remove(transaction, list);
    await this.repository.clear(transaction, list.fileId);
    return { known, listed, delisted };
  }
}
