/**
 * Counts the work of a parse: the characters and values that it looks at. A spec compares the counts for a text and for
 * one twice as long, because parsing must stay linear whatever a server sends.
 */
export class WorkMeter {
  steps = 0;

  count(steps: number): void {
    this.steps += steps;
  }
}
