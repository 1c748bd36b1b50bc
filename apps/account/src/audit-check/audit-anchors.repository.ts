import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { AnchoredHead, AuditAnchor } from './audit-anchor.entity.js';
import type { AuditHead } from '../audit/audit-chain.js';

/** Anchors cover the chains of all accounts, so the methods take no account id. */
@Injectable()
export class AuditAnchorsMaintenanceRepository {
  /** Prevents other processes from taking an anchor until the transaction ends. */
  async lock(transaction: Transaction): Promise<void> {
    await transaction.query(`select pg_advisory_xact_lock(hashtextextended('audit anchors', 0))`);
  }

  async findLast(transaction: Transaction): Promise<AuditAnchor | null> {
    const [last] = await transaction.manager.find(AuditAnchor, {
      order: { number: 'DESC' },
      take: 1,
    });
    return last ?? null;
  }

  async list(transaction: Transaction): Promise<AuditAnchor[]> {
    return transaction.manager.find(AuditAnchor, { order: { number: 'ASC' } });
  }

  async insert(transaction: Transaction, anchor: AuditAnchor): Promise<void> {
    await transaction.manager.insert(AuditAnchor, anchor);
  }

  /** Stores the heads that no anchor covers yet, in one statement, so that all heads are from the same time. */
  async coverHeads(transaction: Transaction, anchor: string): Promise<void> {
    await transaction.query(
      `insert into audit_anchored_heads (chain, position, hash, anchor)
       select h.chain, h.position, h.hash, $1 from audit_heads h
       where not exists (select from audit_anchored_heads a
                         where a.chain = h.chain and a.position = h.position)`,
      [anchor],
    );
  }

  async listCovered(
    transaction: Transaction,
    { anchor, afterChain, limit }: { anchor: string; afterChain: string | null; limit: number },
  ): Promise<AuditHead[]> {
    const query = transaction.manager
      .createQueryBuilder(AnchoredHead, 'head')
      .where('head.anchor = :anchor', { anchor })
      .orderBy('head.chain')
      .limit(limit);
    if (afterChain !== null) query.andWhere('head.chain > :afterChain', { afterChain });
    return query.getMany();
  }
}
