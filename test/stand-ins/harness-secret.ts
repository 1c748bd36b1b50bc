/** The secret between services under test and their stand-ins. */
export const HARNESS_SECRET = 'a-secret-of-the-tests-that-is-long-enough';
