import { expect, it } from '@jest/globals';
import { CallPace } from './call-pace.js';
import { SECOND_MS } from './clock.js';

const ACCOUNT = 'an account';

it('an account can make its burst of calls at once and then one in each interval, whatever other accounts do', () => {
  const pace = new CallPace({ burst: 60, everyMs: 10 * SECOND_MS });
  let taken = 0;
  while (pace.take(ACCOUNT, 0) === 0) taken += 1;
  expect(taken).toBe(60);
  expect(pace.take(ACCOUNT, 0)).toBe(10 * SECOND_MS);
  expect(pace.take('another', 0)).toBe(0);
  for (let seconds = 10; seconds <= 1_000; seconds += 10) {
    expect(pace.take(ACCOUNT, seconds * SECOND_MS)).toBe(0);
    expect(pace.take(ACCOUNT, seconds * SECOND_MS)).toBe(10 * SECOND_MS);
  }
});
