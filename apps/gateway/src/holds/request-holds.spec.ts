import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { Logger, ServiceUnavailable, SystemClock, newId } from '#libs/platform';
import { LeasePools } from '../lease/lease-pool.js';
import { RequestHolds } from './request-holds.js';

afterEach(() => {
  mock.timers.reset();
  syncBuiltinESMExports();
});

it('while entitlement is down, an open hold causes fewer and fewer calls, and one line in the log', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  // The import of the timer in the module under test refers to the replaced one from now on.
  syncBuiltinESMExports();
  let [calls, lines] = [0, 0];
  const fail = async () => {
    calls++;
    throw new ServiceUnavailable('entitlement');
  };
  const none = () => {};
  const holds = new RequestHolds({
    client: { hold: fail, settleHold: fail, closeHold: fail },
    journal: { holdOpened: none, holdUsed: none, holdPart: none, holdClosed: none },
    pools: new LeasePools(),
    clock: new SystemClock(),
    logger: new Logger('gateway', { write: () => void lines++ }),
    requestDeadlineMs: 1_000,
  });
  const [accountId, keyId] = [newId(), newId()];
  const of = { accountId, keyId, operation: 'whois.bulk', version: 2, subject: '', amount: 5 };
  await holds.reserve({ requestId: 'req_one', ...of });
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
