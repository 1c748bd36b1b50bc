import { appendFile, readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { isId } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { ErasureMaintenanceRepository } from './erasure.repository.js';

const FILE_MODE = 0o600;
const BATCH = 1_000;

/**
 * Finds the accounts to erase. Also keeps a list of the erased accounts, in a file outside the database if one is
 * configured, because a database that is restored from a backup contains their data again (S119).
 */
@Injectable()
export class ErasedAccountsService {
  constructor(
    private readonly repository: ErasureMaintenanceRepository,
    private readonly config: AccountConfig,
  ) {}

  /** Returns deleted accounts whose 90 days are over, at most `limit`. */
  async listDue(now: Date, limit: number): Promise<string[]> {
    return this.repository.listDue(now, limit);
  }

  /** Returns the listed accounts that are not erased in the database. @throws if the list cannot be read. */
  async listRestored(): Promise<string[]> {
    const ids = await this.read();
    const restored: string[] = [];
    for (let at = 0; at < ids.length; at += BATCH) {
      restored.push(...(await this.repository.listUnerased(ids.slice(at, at + BATCH))));
    }
    return restored;
  }

  async add(accountId: string): Promise<void> {
    const { erasedAccountsPath: path } = this.config;
    // The first line break ends a line that a kill has cut off.
    if (path) await appendFile(path, `\n${accountId}\n`, { mode: FILE_MODE, flush: true });
  }

  private async read(): Promise<string[]> {
    const { erasedAccountsPath: path } = this.config;
    if (!path) return [];
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    return text.split('\n').filter(isId);
  }
}
