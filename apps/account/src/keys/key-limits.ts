/** Few enough that the list stays readable, whatever the plan. Revoked and replaced keys do not count. */
export const KEYS_MAX = { live: 100, test: 5 } as const;

/** Includes rotations. The limit exists because revoked keys are kept. */
export const NEW_KEYS_PER_DAY_MAX = 200;
