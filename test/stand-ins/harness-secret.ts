export const HARNESS_SECRET = 'a-secret-of-the-tests-that-is-long-enough';
