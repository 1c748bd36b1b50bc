import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock } from '#libs/platform';
import { type AuditAnchor, AuditSeal } from './audit-anchor.js';
import { chainHash } from './audit-chain.js';
import { AnchorNotOurs } from './audit.errors.js';
import { type AuditHead, AuditMaintenanceRepository } from './audit.repository.js';

const VERIFY_BATCH = 1_000;

/** Whether the audit log is as it was written (S116). */
@Injectable()
export class AuditCheckService {
  constructor(
    private readonly database: Database,
    private readonly entries: AuditMaintenanceRepository,
    private readonly clock: Clock,
    private readonly seal: AuditSeal,
  ) {}

  /** The end of the chain as it is now, signed, to be kept where the database's owner cannot change it. */
  async anchor(): Promise<AuditAnchor> {
    const head = await this.database.transaction((transaction) =>
      this.entries.lockHead(transaction),
    );
    const takenAt = this.clock.now().toISOString();
    return this.seal.sign({ position: head.position, hash: head.hash.toString('hex'), takenAt });
  }

  /**
   * Walks the chain, and whether it still passes through the anchors taken of it: one that was rewritten
   * as a whole is consistent in itself.
   * @returns the position of the first entry that is not as it was written.
   * @throws AnchorNotOurs when the signature of one is not.
   */
  async verify(anchors: AuditAnchor[] = []): Promise<{ entries: string; brokenAt: string | null }> {
    if (!anchors.every((anchor) => this.seal.isOurs(anchor))) throw new AnchorNotOurs();
    const anchored = new Map(anchors.map(({ position, hash }) => [position, hash]));
    return this.database.transaction(async (transaction) => {
      const head = await this.entries.lockHead(transaction);
      let last: AuditHead = { position: '0', hash: Buffer.alloc(32) };
      for (;;) {
        const batch = await this.entries.listAfter(transaction, last.position, VERIFY_BATCH);
        for (const entry of batch) {
          const expected = String(BigInt(last.position) + 1n);
          const isWhole =
            entry.position === expected &&
            entry.previousHash.equals(last.hash) &&
            entry.hash.equals(chainHash(entry)) &&
            (anchored.get(entry.position) ?? entry.hash.toString('hex')) ===
              entry.hash.toString('hex');
          if (!isWhole) return { entries: head.position, brokenAt: expected };
          last = entry;
        }
        if (batch.length < VERIFY_BATCH) break;
      }
      const isCut = anchors.some(({ position }) => BigInt(position) > BigInt(last.position));
      const isComplete = !isCut && last.position === head.position && last.hash.equals(head.hash);
      const brokenAt = isComplete ? null : String(BigInt(last.position) + 1n);
      return { entries: head.position, brokenAt };
    });
  }
}
