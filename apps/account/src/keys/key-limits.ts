/** Revoked and replaced keys do not count. More keys, whatever the plan, would make the list unreadable. */
export const KEYS_MAX = { live: 100, test: 5 } as const;

/** Rotated keys count. The limit exists because revoked keys are kept. */
export const NEW_KEYS_PER_DAY_MAX = 200;
