import type { CreditsByOperation } from '#libs/contracts';

/** The name for usage without a named operation. */
export const OTHER_OPERATION = 'other';

/**
 * Splits newly booked credits among operations. Each operation gets the credits that were reported for it and are not
 * booked yet, as far as `due` suffices; the rest of `due` goes to `other`.
 * @param due the credits booked now.
 * @param reported the holder's cumulative credits by operation.
 * @param booked the credits that were booked before, by operation.
 * @returns the parts, which add up to `due`, and the new value of `booked`.
 */
export function splitByOperation(
  due: number,
  reported: CreditsByOperation,
  booked: CreditsByOperation,
): { parts: Map<string, number>; booked: CreditsByOperation } {
  const parts = new Map<string, number>();
  const bookedNow = new Map(Object.entries(booked));
  let rest = due;
  const assign = (operation: string, credits: number) => {
    if (credits <= 0) return;
    parts.set(operation, (parts.get(operation) ?? 0) + credits);
    bookedNow.set(operation, (bookedNow.get(operation) ?? 0) + credits);
    rest -= credits;
  };
  for (const [operation, credits] of Object.entries(reported)) {
    assign(operation, Math.min(rest, credits - (bookedNow.get(operation) ?? 0)));
  }
  assign(OTHER_OPERATION, rest);
  return { parts, booked: Object.fromEntries(bookedNow) };
}
