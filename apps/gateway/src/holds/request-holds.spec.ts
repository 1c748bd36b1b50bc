import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Logger, ServiceUnavailable, SystemClock, newId } from '#libs/platform';
import { LeasePools } from '../lease/lease-pool.js';
import { type HeldRequest, RequestHolds, type RequestHoldsOptions } from './request-holds.js';

afterEach(() => {
  mock.timers.reset();
  syncBuiltinESMExports();
});

const none = () => {};
let [calls, lines] = [0, 0];

beforeEach(() => {
  [calls, lines] = [0, 0];
});

/** Returns the holds of a gateway whose entitlement is down, except for the given calls. */
function newHolds(given: Partial<RequestHoldsOptions['client']> = {}): RequestHolds {
  const fail = async () => {
    calls++;
    throw new ServiceUnavailable('entitlement');
  };
  return new RequestHolds({
    client: { hold: fail, settleHold: fail, closeHold: fail, ...given },
    journal: { holdOpened: none, holdUsed: none, holdPart: none, holdClosed: none },
    pools: new LeasePools(),
    clock: new SystemClock(),
    logger: new Logger('gateway', { write: () => void lines++ }),
    requestDeadlineMs: 1_000,
  });
}

function newRequest(): HeldRequest {
  const [accountId, keyId] = [newId(), newId()];
  const of = { accountId, keyId, operation: 'whois.bulk', version: 2, subject: '', amount: 5 };
  return { requestId: 'req_one', ...of };
}

it('while entitlement is down, an open hold causes fewer and fewer calls, and one line in the log', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  // The import of the timer in the module under test refers to the replaced one from now on.
  syncBuiltinESMExports();
  await newHolds().reserve(newRequest());
  await setImmediate();
  expect(calls).toBe(2);
  for (const waitMs of [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
    const before = calls;
    mock.timers.tick(waitMs - 1);
    await setImmediate();
    expect(calls).toBe(before);
    mock.timers.tick(1);
    await setImmediate();
    expect(calls).toBe(before + 1);
  }
  expect(lines).toBe(1);
});

it('once the gateway no longer waits for open holds, it opens none', async () => {
  const holds = newHolds();
  await holds.drain(0);
  expect(await holds.reserve(newRequest())).toBeInstanceOf(ServiceUnavailable);
  expect(calls).toBe(0);
});

it('beyond a thousand waiting calls of its account, a request is rejected at once, and there is no hold to close', async () => {
  const holds = newHolds({ hold: () => new Promise<never>(() => {}) });
  const request = newRequest();
  for (let waiting = 0; waiting < 1_000; waiting++) void holds.reserve(request);
  expect(await holds.reserve(request)).toBeInstanceOf(ServiceUnavailable);
  expect([calls, holds.uses()]).toEqual([0, []]);
});
