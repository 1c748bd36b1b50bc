import { expect, it } from '@jest/globals';
import { demoRequests } from './demo-usage.js';

it('invented requests are marked, cover today and the 30 days before, and are the same at each call', () => {
  const key = { accountId: 'a', keyId: 'k' };
  const nowMs = Date.UTC(2026, 10, 23, 12);
  const entries = demoRequests(key, nowMs);
  expect(entries).toEqual(demoRequests(key, nowMs));
  expect(entries.every(({ requestId }) => /^req_demo\d{12}$/.test(requestId))).toBe(true);
  const [first, last] = [entries[0].atMs, entries.at(-1)!.atMs];
  expect(new Date(first).toISOString().slice(0, 10)).toBe('2026-10-24');
  expect(new Date(last).toISOString().slice(0, 10)).toBe('2026-11-23');
  expect(last).toBeLessThan(nowMs);
  const early = demoRequests(key, Date.UTC(2026, 10, 23, 0, 1));
  expect(early.filter(({ atMs }) => atMs >= Date.UTC(2026, 10, 23))).toHaveLength(8);
  expect(entries.every(({ status, credits }) => status < 400 || credits === 0)).toBe(true);
});
