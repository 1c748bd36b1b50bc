import { fn, spyOn } from 'jest-mock';

/** The `@jest/globals` of specs when Jest's runner runs without Jest. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export { jestExpect as expect } from '@jest/expect';
export const jest = { fn, spyOn };
