import { expect, it } from '@jest/globals';
import { Book } from './book.js';
import type { Grant } from './grant.js';

const GRANTS = 400;
const READS_PER_GRANT_MAX = 20;

it('an event reads the source of each grant only a few times, however many grants the account has', () => {
  let reads = 0;
  const grants = Array.from({ length: GRANTS }, (_, place) => {
    const buckets = { available: 0, reserved: 0, consumed: 5_000, expired: 0, revoked: 0 };
    const targets = { requestedTarget: 0, reversalTarget: 0, owed: 0, repaid: 0 };
    const grant = {
      id: `grant ${place}`,
      accountId: 'account',
      sourceType: 'package',
      sourceIndex: 0,
      granted: 5_000,
      issuedAt: new Date('2026-03-02T09:00:00Z'),
      revokedExpired: 0,
      withdrawn: 0,
      ...buckets,
      ...targets,
    };
    const read = () => {
      reads += 1;
      return `line ${place}`;
    };
    return Object.defineProperty(grant, 'sourceId', {
      enumerable: true,
      get: read,
    }) as never as Grant;
  });
  const account = { state: 'active', available: 0, allowanceVersion: 0, lastGranted: 0 } as const;
  const book = new Book(
    { id: 'account', ...account },
    grants,
    [],
    new Date('2026-03-03T09:00:00Z'),
  );
  for (const grant of book.all) book.retarget(grant, { requested: 0, final: 0 });
  expect(reads).toBeGreaterThanOrEqual(GRANTS);
  expect(reads).toBeLessThanOrEqual(READS_PER_GRANT_MAX * GRANTS);
});
