/**
 * Maximum number of an account's keys, whatever its plan. More keys would make the list unreadable. Revoked and
 * replaced keys do not count.
 */
export const KEYS_MAX = { live: 100, test: 5 } as const;

/**
 * Maximum number of keys that an account may create within 24 hours, including rotations. The number of stored keys
 * must be limited, because revoked keys are kept. A key stops earlier than the owner, so that a thief of a key cannot
 * use up the owner's new keys of that day.
 */
export const NEW_KEYS_PER_DAY_MAX = { byOwner: 200, byKey: 150 } as const;
