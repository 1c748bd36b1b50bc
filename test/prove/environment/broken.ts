/** A scenario's own expectation was not met; the message says how. */
export class Broken extends Error {}

/** @throws Broken with the text unless it holds. */
export function holds(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Broken(otherwise);
}
