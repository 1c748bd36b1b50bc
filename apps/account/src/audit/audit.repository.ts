import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { type AuditHead, NO_HASH } from './audit-chain.js';
import { AuditEntry } from './audit-entry.entity.js';

@Injectable()
export class AuditMaintenanceRepository {
  /**
   * Locks the head of a chain until the transaction ends, so that entries are written one at a time. Creates the head
   * for the first entry.
   */
  async lockHead(transaction: Transaction, chain: string): Promise<AuditHead> {
    const select = 'select chain, position, hash from audit_heads where chain = $1 for update';
    const [head] = await transaction.query<AuditHead>(select, [chain]);
    if (head) return head;
    await transaction.query(
      'insert into audit_heads (chain, position, hash) values ($1, 0, $2) on conflict do nothing',
      [chain, NO_HASH],
    );
    const [begun] = await transaction.query<AuditHead>(select, [chain]);
    return begun;
  }

  async append(transaction: Transaction, entry: AuditEntry): Promise<void> {
    await transaction.manager.insert(AuditEntry, entry);
    await transaction.query('update audit_heads set position = $2, hash = $3 where chain = $1', [
      entry.chain,
      entry.position,
      entry.hash,
    ]);
  }
}
