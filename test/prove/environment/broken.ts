/** Thrown if a scenario's own expectation is not met; the message explains why. */
export class Broken extends Error {}

/** @throws Broken with the text if the condition is false. */
export function holds(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Broken(otherwise);
}
