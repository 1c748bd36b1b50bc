import { describe, expect, it } from '@jest/globals';
import { CREDIT_MAX_BYTES, FLOOR_BYTES_A_SECOND, ReadingFloor } from './reading-floor.js';

/**
 * Checks a reader once a second, for two hours.
 * @returns the second in which the reader is found to be too slow; undefined if it never is.
 */
function secondBelow(
  takenBytes: (second: number) => number,
  isWaitedFor: (second: number) => boolean = () => true,
): number | undefined {
  const floor = new ReadingFloor();
  for (let second = 0; second <= 7_200; second++) {
    const isBelow = floor.isBelow(second * 1_000, takenBytes(second), isWaitedFor(second));
    if (isBelow) return second;
  }
  return undefined;
}

const MEBIBYTE = 1024 ** 2;
const CREDIT_SECONDS = CREDIT_MAX_BYTES / FLOOR_BYTES_A_SECOND;

describe('the minimum rate of a download', () => {
  it('a reader at the minimum rate keeps its download, however long it takes', () => {
    expect(secondBelow((second) => second * FLOOR_BYTES_A_SECOND)).toBeUndefined();
  });

  it('a reader keeps its download even if the system accepts bytes in large steps', () => {
    const inSteps = (step: number) => (second: number) =>
      4 * MEBIBYTE + Math.floor((second * FLOOR_BYTES_A_SECOND) / step) * step;
    expect(secondBelow(inSteps(1.5 * MEBIBYTE))).toBeUndefined();
    expect(secondBelow(inSteps(2.5 * MEBIBYTE))).toBeUndefined();
  });

  it('a slower reader is detected, the sooner the slower it is', () => {
    expect(secondBelow(() => 0)).toBe(61);
    expect(secondBelow((second) => (second * FLOOR_BYTES_A_SECOND) / 2)).toBe(121);
  });

  it('bytes that the system buffered at the start count only for a few minutes', () => {
    const below = secondBelow((second) => (second === 0 ? 0 : 10 * MEBIBYTE));
    expect(below).toBeGreaterThan(CREDIT_SECONDS - 2);
    expect(below).toBeLessThan(CREDIT_SECONDS + 3);
  });

  it('a reader is not too slow if its owner sends nothing', () => {
    const starved = secondBelow(
      () => 0,
      () => false,
    );
    expect(starved).toBeUndefined();
  });
});
