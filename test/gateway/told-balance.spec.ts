import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, SystemClock, monotonicMs, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { RequestHold } from '../../apps/gateway/src/holds/request-hold.js';
import { RequestHolds } from '../../apps/gateway/src/holds/request-holds.js';
import { LeaseClient } from '../../apps/gateway/src/lease/lease-client.js';
import type { Lease } from '../../apps/gateway/src/lease/lease.js';
import { EntitlementUnderTest } from '../entitlement/entitlement-under-test.js';
import { Random } from '../random.js';

const OPERATION = 'whois.live';
const CREDITS = 20_000;

let entitlement: EntitlementUnderTest;
let folder: string;
let gateways: LeaseClient[];
let holds: RequestHolds[];

beforeAll(async () => {
  entitlement = await EntitlementUnderTest.start();
  folder = mkdtempSync(join(tmpdir(), 'balances-'));
  gateways = ['one', 'two'].map((name) => {
    const gateway = new LeaseClient({
      client: entitlement.client,
      logger: new Logger('gateway', { write: () => {} }),
      journalPath: join(folder, name),
      requestDeadlineMs: 1_000,
      settleIntervalMs: 20,
    });
    gateway.start();
    return gateway;
  });
  holds = gateways.map(
    ({ journal, pools }) =>
      new RequestHolds({
        client: entitlement.client,
        journal,
        pools,
        clock: new SystemClock(),
        logger: new Logger('gateway', { write: () => {} }),
        requestDeadlineMs: 1_000,
      }),
  );
});
afterAll(async () => {
  await Promise.all(holds.map((each) => each.drain(10_000)));
  await Promise.all(gateways.map((gateway) => gateway.drain(10_000)));
  await entitlement?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function spend(gateway: LeaseClient, accountId: string, cost: number): Promise<number> {
  const lease = await gateway.reserve(accountId, cost, monotonicMs());
  if (!('reserved' in lease)) throw lease;
  gateway.finish(lease as Lease, cost, cost, OPERATION);
  return gateway.remaining(accountId)!;
}

/**
 * Reserves credits for a request with several items, and charges only some of them, in two parts.
 * @returns the balance that the gateway then reports.
 */
async function spendOnHold(which: number, accountId: string, cost: number): Promise<number> {
  const names = { requestId: newId(), accountId, keyId: newId(), subject: '' };
  const held = { ...names, operation: 'whois.bulk', version: 2, amount: cost + 5 };
  const hold = await holds[which].reserve(held);
  if (!(hold instanceof RequestHold)) throw hold;
  hold.charge(Math.floor(cost / 2));
  hold.finish(cost);
  return gateways[which].remaining(accountId)!;
}

describe('the balance that two gateways report for one account', () => {
  it('differs from the account’s balance by at most the credits that the other gateway has not settled, and later equals it', async () => {
    const accountId = await entitlement.newAccount();
    await entitlement.buy(accountId, CREDITS);
    const random = new Random(7);
    let left = CREDITS + 500;
    // Each gateway's usage since both had last settled.
    let unsettled = [0, 0];
    for (let round = 0; round < 200; round++) {
      const which = random.between(0, 1);
      const cost = random.between(1, 20);
      const isBulk = random.chance(0.3);
      const told = isBulk
        ? await spendOnHold(which, accountId, cost)
        : await spend(gateways[which], accountId, cost);
      left -= cost;
      unsettled[which] += cost;
      expect(told).toBeGreaterThanOrEqual(left);
      expect(told - left).toBeLessThanOrEqual(unsettled[1 - which]);
      if (round % 40 !== 39) continue;
      await waitFor('both to know', () =>
        gateways.every((gateway) => gateway.remaining(accountId) === left),
      );
      unsettled = [0, 0];
      const { spendable, reserved } = await entitlement.client.balance(accountId);
      expect(spendable + reserved).toBe(left);
    }
  });
});
