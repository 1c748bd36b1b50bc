/**
 * The servers, processes and folders that a bench has created and must remove, newest first, even if a signal ends the
 * bench.
 */
class Cleanup {
  private tasks: (() => unknown)[] = [];
  private running?: Promise<void>;

  add(task: () => unknown): void {
    this.tasks.push(task);
  }

  /** Stops everything; an error in one does not prevent the others. */
  async run(): Promise<void> {
    this.running ??= this.runAll();
    await this.running;
    this.running = undefined;
  }

  private async runAll(): Promise<void> {
    for (let task = this.tasks.pop(); task !== undefined; task = this.tasks.pop()) {
      try {
        await task();
      } catch (error) {
        const { errors = [] } = error as Partial<AggregateError>;
        process.stderr.write(`left behind: ${[error, ...errors].map(String).join('; ')}\n`);
      }
    }
  }
}

export const cleanup = new Cleanup();

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** From now on, a signal stops everything that was started, and then ends the process. */
export function cleanUpAtSignals(): void {
  for (const [signal, code] of Object.entries(EXIT_CODES)) {
    process.once(signal, () => void cleanup.run().then(() => process.exit(code)));
  }
}
