import { createHash } from 'node:crypto';
import type { AuditEntry } from './audit-entry.entity.js';

export type UnchainedEntry = Omit<AuditEntry, 'hash'>;

/**
 * Hash of an entry over all its columns and the hash before it, so that whoever changes, removes or
 * inserts an entry would have to rewrite every later one and the head.
 */
export function chainHash(entry: UnchainedEntry): Buffer {
  const text = JSON.stringify([
    entry.position,
    entry.id,
    entry.occurredAt.toISOString(),
    entry.accountId,
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

/** What a state was, without keeping it. */
export function stateHash(state: object): Buffer {
  return createHash('sha256').update(JSON.stringify(state)).digest();
}
