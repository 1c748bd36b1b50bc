/** Keys of an account at one time, whatever the plan: a list must stay one that a person can read. */
export const KEYS_MAX = { live: 100, test: 5 } as const;

/** Keys that an account makes within 24 hours, rotations included: revoked ones are kept, too. */
export const NEW_KEYS_PER_DAY_MAX = 200;
