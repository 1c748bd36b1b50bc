import { randomBytes } from 'node:crypto';

const PREFIX = `req_${randomBytes(9).toString('base64url').replaceAll('-', 'A').replaceAll('_', 'B')}`;
let count = 0;

/**
 * Creates ids that are unique among all processes: 70 random bits per process, then a counter, which costs less than
 * random bits for each id.
 */
export function newRequestId(): string {
  count++;
  return PREFIX + count.toString(36).padStart(6, '0');
}
