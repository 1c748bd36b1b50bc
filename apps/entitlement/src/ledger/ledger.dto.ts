/** Most credits that one call may speak of. */
export const AMOUNT_MAX = 1_000_000_000_000;
