import { inspect } from 'node:util';

let stack = new AsyncDisposableStack();
let running: Promise<void> | undefined;

/** The servers, processes and folders that a bench has created and must remove, newest first. */
export const cleanup = {
  add(task: () => unknown): void {
    stack.defer(async () => void (await task()));
  },

  /** Stops everything. If one part fails to stop, the others are still stopped. */
  async run(): Promise<void> {
    running ??= stack
      .disposeAsync()
      .catch((error: unknown) => void process.stderr.write(`left behind: ${inspect(error)}\n`));
    await running;
    [stack, running] = [new AsyncDisposableStack(), undefined];
  },
};
