/**
 * The maximum number of keys of an account that are neither revoked nor replaced, whatever its plan, so that the list
 * stays readable.
 */
export const KEYS_MAX = { live: 100, test: 5 } as const;

/**
 * Maximum number of keys that an account can create within 24 hours, including rotations. The limit exists because
 * revoked keys are kept.
 */
export const NEW_KEYS_PER_DAY_MAX = 200;
