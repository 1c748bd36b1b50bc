import { counted } from '#libs/platform';
import { setTimeout as wait } from 'node:timers/promises';

export interface SandboxStep {
  title: string;
  /** The description of the step's requests, which an operator without keys sees. */
  does: string;
  /** Performs the step. @returns a description of the result. @throws Error if the expected result did not occur. */
  run(): Promise<string>;
}

export interface StepSeen {
  title: string;
  outcome: 'seen' | 'failed' | 'left out';
  says: string;
}

/** Shows pages to the operator, and limits each wait for the operator or the processor. */
export interface Patience {
  /** Prints a line at once, whatever the format of the final answer is. */
  say(line: string): void;
  waitMs: number;
  everyMs: number;
}

/**
 * Runs the steps in order. If a step fails, the later ones are skipped, except the clean-up.
 * @returns the outcome of every step.
 */
export async function takeSteps(
  steps: readonly SandboxStep[],
  cleanUp: SandboxStep,
  say: (line: string) => void,
): Promise<StepSeen[]> {
  const seen: StepSeen[] = [];
  let hasFailed = false;
  for (const step of [...steps, cleanUp]) {
    const { title } = step;
    if (hasFailed && step !== cleanUp) {
      seen.push({ title, outcome: 'left out', says: 'a step before it failed' });
      continue;
    }
    say(`… ${title}`);
    try {
      seen.push({ title, outcome: 'seen', says: await step.run() });
    } catch (error) {
      hasFailed = true;
      seen.push({ title, outcome: 'failed', says: (error as Error).message });
    }
  }
  return seen;
}

/** Polls until `ask` returns a value. @throws Error if it returns none in time; the errors of `ask`. */
export async function until<T>(
  what: string,
  { waitMs, everyMs }: Patience,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  for (let left = waitMs; left >= 0; left -= everyMs) {
    const found = await ask();
    if (found !== undefined) return found;
    await wait(everyMs);
  }
  throw new Error(`${what} was not seen within ${counted(Math.round(waitMs / 60_000), 'minute')}`);
}
