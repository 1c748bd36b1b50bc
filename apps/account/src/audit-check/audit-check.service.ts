import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import type { SignedAnchor } from './audit-seal.js';
import { AuditAnchorsService } from './audit-anchors.service.js';
import { INSTALLATION, NO_HASH, chainHash } from '../audit/audit-chain.js';
import { AuditCheckMaintenanceRepository, type CheckedEntry } from './audit-check.repository.js';

const BATCH = 1_000;

export interface AuditVerdict {
  entries: number;
  chains: number;
  /** The first entry or anchor that was changed or removed, such as `account <id>, entry 4` or `anchor 2`. */
  brokenAt: string | null;
}

/** Checks that the audit log has not been changed since it was written (S116). */
@Injectable()
export class AuditCheckService {
  constructor(
    private readonly database: Database,
    private readonly entries: AuditCheckMaintenanceRepository,
    private readonly anchors: AuditAnchorsService,
  ) {}

  /**
   * Verifies that every chain is consistent and matches its anchors. The anchors matter because a chain that was
   * rewritten completely is consistent, too. Reads one snapshot without locks.
   * @param kept anchors from outside the database.
   * @throws AnchorNotOurs if this installation did not sign one of the anchors.
   */
  async verify(kept: SignedAnchor[] = []): Promise<AuditVerdict> {
    this.anchors.checkSignatures(kept);
    return this.database.snapshot(async (transaction) => {
      const walked = await this.walk(transaction);
      if (walked.brokenAt !== null) return walked;
      const head = await this.entries.findHeadWithoutEntry(transaction);
      if (head) return { ...walked, brokenAt: placeOf(head) };
      const anchor = await this.anchors.findBroken(transaction, kept);
      return { ...walked, brokenAt: anchor && `anchor ${anchor}` };
    });
  }

  private async walk(transaction: Transaction): Promise<AuditVerdict> {
    const verdict: AuditVerdict = { entries: 0, chains: 0, brokenAt: null };
    let last: Pick<CheckedEntry, 'chain' | 'position' | 'hash' | 'headPosition'> | undefined;
    for (;;) {
      const after = last ?? { chain: INSTALLATION, position: '0' };
      const batch = await this.entries.listAfter(transaction, after, BATCH);
      for (const entry of batch) {
        const isSameChain = entry.chain === last?.chain;
        if (last && !isSameChain && last.position !== last.headPosition) {
          return { ...verdict, brokenAt: placeAfter(last) };
        }
        const before = isSameChain && last ? last : { position: '0', hash: NO_HASH };
        if (!follows(entry, before)) {
          return { ...verdict, brokenAt: placeAfter({ ...before, chain: entry.chain }) };
        }
        verdict.entries++;
        if (!isSameChain) verdict.chains++;
        last = entry;
      }
      if (batch.length < BATCH) break;
    }
    const isWhole = !last || last.position === last.headPosition;
    return isWhole || !last ? verdict : { ...verdict, brokenAt: placeAfter(last) };
  }
}

function follows(entry: CheckedEntry, before: { position: string; hash: Buffer }): boolean {
  return (
    entry.position === String(BigInt(before.position) + 1n) &&
    entry.previousHash.equals(before.hash) &&
    entry.hash.equals(chainHash(entry)) &&
    (entry.anchoredHash ?? entry.hash).equals(entry.hash)
  );
}

function placeAfter({ chain, position }: { chain: string; position: string }): string {
  return placeOf({ chain, position: String(BigInt(position) + 1n) });
}

function placeOf({ chain, position }: { chain: string; position: string }): string {
  const owner = chain === INSTALLATION ? 'the installation' : `account ${chain}`;
  return `${owner}, entry ${position}`;
}
