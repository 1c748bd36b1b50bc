import { expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { type UnchainedEntry, chainHash } from './audit-chain.js';

const entryOf = (text: string, at: number): UnchainedEntry => ({
  chain: newId(),
  position: String(at),
  id: newId(),
  occurredAt: new Date(at),
  actor: text,
  action: text,
  object: text,
  beforeHash: Buffer.from(text),
  afterHash: Buffer.from(text),
  origin: Buffer.from(text),
  requestId: text,
  previousHash: Buffer.from(text),
});

it('S116: the hash of an entry changes with each of its columns', () => {
  const [entry, other] = [entryOf('one', 1), entryOf('other', 2)];
  const columns = Object.keys(entry) as (keyof UnchainedEntry)[];
  const changed = columns.map((column) => chainHash({ ...entry, [column]: other[column] }));
  const hashes = [chainHash(entry), ...changed].map((hash) => hash.toString('hex'));
  expect(new Set(hashes).size).toBe(columns.length + 1);
  const without = chainHash({ ...entry, beforeHash: null });
  expect(without.equals(chainHash({ ...entry, afterHash: null }))).toBe(false);
});
