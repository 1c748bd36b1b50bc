import { fn, spyOn } from 'jest-mock';

/** Replaces `@jest/globals` in specs that run with Jest's runner but without Jest. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export { jestExpect as expect } from '@jest/expect';
export const jest = { fn, spyOn };
