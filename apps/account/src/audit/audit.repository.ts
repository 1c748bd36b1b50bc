import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { AuditEntry } from './audit-entry.entity.js';

export interface AuditHead {
  position: string;
  hash: Buffer;
}

/** The chain is one for all accounts: its methods take no account id. */
@Injectable()
export class AuditMaintenanceRepository {
  /** The end of the chain. Held until the transaction ends: entries are written one after another. */
  async lockHead(transaction: Transaction): Promise<AuditHead> {
    const [head] = await transaction.query<AuditHead>(
      'select position, hash from audit_head for update',
    );
    return head;
  }

  async append(transaction: Transaction, entry: AuditEntry): Promise<void> {
    await transaction.manager.insert(AuditEntry, entry);
    await transaction.query('update audit_head set position = $1, hash = $2', [
      entry.position,
      entry.hash,
    ]);
  }

  async listAfter(
    transaction: Transaction,
    position: string,
    limit: number,
  ): Promise<AuditEntry[]> {
    return transaction.manager
      .createQueryBuilder(AuditEntry, 'entry')
      .where('entry.position > :position', { position })
      .orderBy('entry.position')
      .limit(limit)
      .getMany();
  }
}
