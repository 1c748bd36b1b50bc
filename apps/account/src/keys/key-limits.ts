/**
 * Maximum number of an account's keys, whatever its plan. More keys would make the list unreadable. Revoked and
 * replaced keys do not count.
 */
export const KEYS_MAX = { live: 100, test: 5 } as const;

/**
 * Maximum number of keys that an account may create within 24 hours, including rotations. The number of stored keys
 * must be limited, because revoked keys are kept.
 */
export const NEW_KEYS_PER_DAY_MAX = 200;
