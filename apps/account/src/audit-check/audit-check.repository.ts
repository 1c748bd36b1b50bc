import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { AuditHead } from '../audit/audit-chain.js';
import type { AuditEntry } from '../audit/audit-entry.entity.js';

export type CheckedEntry = AuditEntry & {
  /** The position of the chain's head; null if the chain has no head. */
  headPosition: string | null;
  anchoredHash: Buffer | null;
};

/** Reads all chains, so the methods take no account id. */
@Injectable()
export class AuditCheckMaintenanceRepository {
  /** Lists the entries after `after`, ordered by chain and position. */
  async listAfter(
    transaction: Transaction,
    after: { chain: string; position: string },
    limit: number,
  ): Promise<CheckedEntry[]> {
    return transaction.query<CheckedEntry>(
      `select e.chain, e.position, e.id, e.occurred_at as "occurredAt", e.actor, e.action, e.object,
              e.before_hash as "beforeHash", e.after_hash as "afterHash", e.origin,
              e.request_id as "requestId", e.previous_hash as "previousHash", e.hash,
              h.position as "headPosition", a.hash as "anchoredHash"
       from audit e left join audit_heads h on h.chain = e.chain
         left join audit_anchored_heads a on a.chain = e.chain and a.position = e.position
       where (e.chain, e.position) > ($1, $2) order by e.chain, e.position limit $3`,
      [after.chain, after.position, limit],
    );
  }

  async findHeadWithoutEntry(transaction: Transaction): Promise<AuditHead | null> {
    const [head] = await transaction.query<AuditHead>(
      `select h.chain, h.position, h.hash from
         (select chain, position, hash from audit_heads
          union all select chain, position, hash from audit_anchored_heads) h
       where not exists (select from audit e where e.chain = h.chain and e.position = h.position
                         and e.hash = h.hash)
       order by h.chain, h.position limit 1`,
    );
    return head ?? null;
  }
}
