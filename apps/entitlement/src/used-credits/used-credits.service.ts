import { Injectable } from '@nestjs/common';
import type { WorkDay } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { nextId } from '#libs/platform';
import type { UsedDays } from './used-credits.dto.js';
import { UsedCreditsRepository, type UsedCreditsRow } from './used-credits.repository.js';

export interface UsedCredits {
  accountId: string;
  bookedAt: Date;
  operation: string;
  credits: number;
}

@Injectable()
export class UsedCreditsService {
  constructor(private readonly repository: UsedCreditsRepository) {}

  /** Adds usage in the transaction that books it. The accounts must be locked. */
  async add(transaction: Transaction, used: UsedCredits[]): Promise<void> {
    const lines = new Map<string, UsedCreditsRow>();
    let id: string | undefined;
    for (const { accountId, bookedAt, operation, credits } of used) {
      if (credits === 0) continue;
      const day = bookedAt.toISOString().slice(0, 10);
      const name = `${accountId} ${day} ${operation}`;
      const line = lines.get(name);
      if (line) line.credits += credits;
      else lines.set(name, { id: (id = nextId(id)), accountId, day, operation, credits });
    }
    if (lines.size > 0) await this.repository.add(transaction, [...lines.values()]);
  }

  /** Lists the usage by jobs and monitors, which is not charged to any request. */
  async listWork(accountId: string, { from, to }: UsedDays): Promise<WorkDay[]> {
    return this.repository.listWork(accountId, from, to);
  }
}
