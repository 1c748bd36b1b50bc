import { expect, it } from '@jest/globals';
import { MINUTE_MS, SECOND_MS, newId } from '#libs/platform';
import { BusyUpstreams } from './busy-upstreams.js';

const REGISTRY = 'rdap.example';

type End = (isRefused: boolean, endMs: number) => void;

it('at most two chunks of an account ask an upstream that had no turn for some of its names', () => {
  const upstreams = new BusyUpstreams();
  const accountId = newId();
  const begin = (nowMs: number, account = accountId, upstream = REGISTRY) =>
    upstreams.begin(account, upstream, nowMs);
  const ends = Array.from({ length: 5 }, () => begin(0) as End);
  ends.pop()!(false, 10);
  const isBegun = expect.any(Function);
  expect(begin(20)).toEqual(isBegun);
  ends.pop()!(true, 30);
  expect(begin(40)).toBe(5);
  expect(begin(40, newId())).toEqual(isBegun);
  expect(begin(40, accountId, 'another.example')).toEqual(isBegun);
  // Four calls are running, of which three end.
  for (const end of ends.splice(0, 3)) end(true, 50);
  expect(begin(60)).toEqual(isBegun);
  expect(begin(70)).toBe(10);
  expect(begin(50 + MINUTE_MS)).toEqual(isBegun);
});

it('the chunks that wait for a busy upstream come back one after another, each within five minutes', () => {
  const upstreams = new BusyUpstreams();
  const accountId = newId();
  const begin = (nowMs: number) => upstreams.begin(accountId, REGISTRY, nowMs);
  const ends = Array.from({ length: 4 }, () => begin(0) as End);
  for (const end of ends.splice(0, 2)) end(true, 0);
  expect(Array.from({ length: 62 }, () => begin(0))).toEqual(
    Array.from({ length: 62 }, (_, place) => Math.min(300, (place + 1) * 5)),
  );
  // The upstream stays busy if a call that was not refused is the last to end.
  for (const [place, end] of ends.entries()) end(place === 0, SECOND_MS);
  expect([begin(SECOND_MS), begin(SECOND_MS)]).toEqual([
    expect.any(Function),
    expect.any(Function),
  ]);
  expect(begin(SECOND_MS)).toBe(300);
});
