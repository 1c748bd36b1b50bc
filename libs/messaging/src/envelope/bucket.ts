import type { ServiceName } from '#libs/platform';

/**
 * The number of buckets, and of partitions of every topic. It never changes, because the order of events depends on
 * it.
 */
export const BUCKET_COUNT = 16;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Returns the bucket of a key: 32-bit FNV-1a of its UTF-8 bytes, modulo 16. */
export function bucketOf(key: string): number {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(key, 'utf8')) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return (hash >>> 0) % BUCKET_COUNT;
}

/** Returns the topic for all events that one service publishes. */
export function topicOf(producer: ServiceName): string {
  return `${producer}.events`;
}
