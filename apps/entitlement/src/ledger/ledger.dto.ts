export const AMOUNT_MAX = 1_000_000_000_000;
