/** Stops the started parts in the reverse order of their start. */
export class ShutdownOrder {
  private readonly steps: { name: string; stop: () => Promise<void> }[] = [];

  add(name: string, stop: () => Promise<void>): void {
    this.steps.push({ name, stop });
  }

  /**
   * Runs every step, the last added first, even if one fails. A second call does nothing.
   * @throws AggregateError with the names of the steps that failed.
   */
  async run(): Promise<void> {
    const faults: Error[] = [];
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      try {
        await step.stop();
      } catch (cause) {
        faults.push(new Error(`${step.name} did not stop cleanly`, { cause }));
      }
    }
    if (faults.length > 0) {
      throw new AggregateError(faults, faults.map(({ message }) => message).join('; '));
    }
  }
}
