import { describe, expect, it } from '@jest/globals';
import { FailedKeys } from './failed-keys.js';

const LIMIT = 60;
const ADDRESS = '192.0.2.1';

describe('an address with many keys that the gateway does not know', () => {
  it('after too many invalid keys, the address waits until the minute ends', () => {
    const failedKeys = new FailedKeys(LIMIT);
    for (let count = 0; count < LIMIT; count++) {
      expect(failedKeys.waitSeconds(ADDRESS, 0)).toBe(0);
      failedKeys.note(ADDRESS, 0);
    }
    expect(failedKeys.waitSeconds(ADDRESS, 1_000)).toBe(59);
  });

  it('while too many of its lookups are running, the address waits a second, even after an invalid key', () => {
    const failedKeys = new FailedKeys(LIMIT);
    failedKeys.note(ADDRESS, 0);
    for (let count = 0; count < 99; count++) failedKeys.begin(ADDRESS);
    expect(failedKeys.waitSeconds(ADDRESS, 1_000)).toBe(1);
    failedKeys.end(ADDRESS);
    expect(failedKeys.waitSeconds(ADDRESS, 1_000)).toBe(0);
  });
});
