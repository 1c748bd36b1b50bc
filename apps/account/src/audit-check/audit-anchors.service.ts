import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Clock } from '#libs/platform';
import { AuditSeal, type SignedAnchor } from './audit-seal.js';
import { AuditAnchorsMaintenanceRepository } from './audit-anchors.repository.js';
import { AnchorHash, NO_HASH } from '../audit/audit-chain.js';
import { AnchorNotOurs } from './audit-check.errors.js';

const BATCH = 1_000;

/**
 * Takes and checks anchors. An anchor signs the heads of all chains and the hash of the previous anchor (S116). One is
 * taken every day and at each start.
 */
@Injectable()
export class AuditAnchorsService {
  constructor(
    private readonly database: Database,
    private readonly anchors: AuditAnchorsMaintenanceRepository,
    private readonly clock: Clock,
    private readonly seal: AuditSeal,
  ) {}

  /** Signs the current heads of all chains. @returns an anchor to store where the database's owner cannot change it. */
  async take(): Promise<SignedAnchor> {
    return this.database.transaction(async (transaction) => {
      await this.anchors.lock(transaction);
      const last = await this.anchors.findLast(transaction);
      const number = String(BigInt(last?.number ?? 0) + 1n);
      await this.anchors.coverHeads(transaction, number);
      const hash = await this.hashOf(transaction, number, last?.hash ?? NO_HASH);
      const takenAt = this.clock.now();
      await this.anchors.insert(transaction, { number, takenAt, hash });
      const signed = { number, hash: hash.toString('hex'), takenAt: takenAt.toISOString() };
      return this.seal.sign(signed);
    });
  }

  /** @throws AnchorNotOurs if this installation did not sign one of the anchors. */
  checkSignatures(kept: SignedAnchor[]): void {
    if (!kept.every((anchor) => this.seal.isOurs(anchor))) throw new AnchorNotOurs();
  }

  /**
   * Checks whether the recorded heads still match the signed anchors.
   * @param kept anchors from outside the database.
   * @returns the number of the first anchor that has changed or is missing; null if there is none.
   */
  async findBroken(transaction: Transaction, kept: SignedAnchor[]): Promise<string | null> {
    // If the last anchor was removed, the next one got the same number, so several kept anchors may share a number.
    const signed = Map.groupBy(kept, ({ number }) => number);
    let [expected, previous] = [1n, NO_HASH];
    for (const { number, hash } of await this.anchors.list(transaction)) {
      const isWhole =
        number === String(expected) &&
        hash.equals(await this.hashOf(transaction, number, previous)) &&
        (signed.get(number) ?? []).every((one) => one.hash === hash.toString('hex'));
      if (!isWhole) return String(expected);
      signed.delete(number);
      [expected, previous] = [expected + 1n, hash];
    }
    return signed.size === 0 ? null : String(expected);
  }

  private async hashOf(
    transaction: Transaction,
    anchor: string,
    previous: Buffer,
  ): Promise<Buffer> {
    const hash = new AnchorHash(previous);
    let afterChain: string | null = null;
    for (;;) {
      const heads = await this.anchors.listCovered(transaction, {
        anchor,
        afterChain,
        limit: BATCH,
      });
      hash.add(heads);
      if (heads.length < BATCH) return hash.value();
      afterChain = heads[heads.length - 1].chain;
    }
  }
}
