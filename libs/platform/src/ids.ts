import { randomBytes } from 'node:crypto';
import { machineMs } from './clock.js';

/** An id that sorts before all others; reading in the order of ids starts after it. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * If the clock steps back this far, somebody must have set it; ids then follow the clock, and their order starts over.
 */
const CLOCK_SET_BACK_MS = 10_000;
const LAST_COUNT = 0xfff;
/** The counter starts in the lower half of its 12 bits, so at least 2,048 more ids fit into a millisecond. */
const FIRST_COUNT_MAX = 0x7ff;
let lastMs = 0;
let count = 0;

/**
 * Creates a UUIDv7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, then a 12-bit counter that starts at a random number
 * in each millisecond (§6.2, method 1), then random bits. Ids of one process therefore sort by creation, ids of several
 * processes sort by millisecond, and index pages stay cached. The time is always the machine's, because the time in an
 * id has no business meaning.
 */
export function newId(): string {
  const ms = machineMs();
  const bytes = randomBytes(16);
  const firstCount = bytes.readUInt16BE(6) & FIRST_COUNT_MAX;
  if (ms > lastMs || ms < lastMs - CLOCK_SET_BACK_MS) {
    lastMs = ms;
    count = firstCount;
  } else if (count === LAST_COUNT) {
    lastMs += 1;
    count = firstCount;
  } else count += 1;
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | count, 6);
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * Creates a UUIDv7 that is greater than `last`, for rows whose order matters and whose writers take turns. If the clock
 * has not moved, or has moved back, the new id's time is at most a millisecond after the time of `last`.
 */
export function nextId(last: string | undefined): string {
  const id = newId();
  if (last === undefined || id > last) return id;
  const ms = (Number.parseInt(last.slice(0, 8) + last.slice(9, 13), 16) + 1)
    .toString(16)
    .padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}${id.slice(13)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for a lower-case UUID of any version. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
