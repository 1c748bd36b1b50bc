/** Thrown if a scenario's own expectation was not met; the message explains why. */
export class Broken extends Error {}

/** @throws Broken with the text unless the condition is true. */
export function holds(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Broken(otherwise);
}
