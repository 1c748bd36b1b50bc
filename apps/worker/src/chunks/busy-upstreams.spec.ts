import { expect, it } from '@jest/globals';
import { MINUTE_MS, newId } from '#libs/platform';
import { BusyUpstreams } from './busy-upstreams.js';

const REGISTRY = 'rdap.example';

it('at most two chunks of an account at a time ask an upstream that had no turn for some of their names', () => {
  const upstreams = new BusyUpstreams();
  const accountId = newId();
  const begin = (nowMs: number, account = accountId, upstream = REGISTRY) =>
    upstreams.begin(account, upstream, nowMs);
  const ends = Array.from({ length: 5 }, () => begin(0)!);
  ends.pop()!(false, 10);
  expect(begin(20)).toBeDefined();
  ends.pop()!(true, 30);
  expect(begin(40)).toBeUndefined();
  expect(begin(40, newId())).toBeDefined();
  expect(begin(40, accountId, 'another.example')).toBeDefined();
  // Four calls are running, of which three end.
  for (const end of ends.splice(0, 3)) end(true, 50);
  expect(begin(60)).toBeDefined();
  expect(begin(70)).toBeUndefined();
  expect(begin(50 + MINUTE_MS)).toBeDefined();
});
