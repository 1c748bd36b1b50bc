import { createHash } from 'node:crypto';
import type { AuditEntry } from './audit-entry.entity.js';

/** The chain of entries that belong to no account. */
export const INSTALLATION = '00000000-0000-0000-0000-000000000000';

/** Takes the place of the previous hash in the first entry of a chain and in the first anchor. */
export const NO_HASH: Buffer = Buffer.alloc(32);

export interface AuditHead {
  chain: string;
  /** The position of the last entry; the database returns bigint as text. */
  position: string;
  hash: Buffer;
}

export type UnchainedEntry = Omit<AuditEntry, 'hash'>;

/**
 * Returns the hash of an entry, over all its columns and the previous hash. To change, remove or insert an entry, an
 * attacker would have to rewrite all later entries of the chain and its head.
 */
export function chainHash(entry: UnchainedEntry): Buffer {
  const text = JSON.stringify([
    entry.chain,
    entry.position,
    entry.id,
    entry.occurredAt.toISOString(),
    entry.actor,
    entry.action,
    entry.object,
    entry.beforeHash?.toString('hex') ?? null,
    entry.afterHash?.toString('hex') ?? null,
    entry.origin?.toString('hex') ?? null,
    entry.requestId,
    entry.previousHash.toString('hex'),
  ]);
  return createHash('sha256').update(text).digest();
}

/** Computes the hash over the heads that an anchor covers, sorted by chain, and over the previous anchor. */
export class AnchorHash {
  private readonly digest = createHash('sha256');

  constructor(previous: Buffer) {
    this.digest.update(previous);
  }

  add(heads: AuditHead[]): void {
    for (const { chain, position, hash } of heads) {
      this.digest.update(`${chain} ${position} ${hash.toString('hex')}\n`);
    }
  }

  value(): Buffer {
    return this.digest.digest();
  }
}
