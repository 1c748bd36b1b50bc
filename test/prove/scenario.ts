import type { Random } from '../random.js';
import type { Installation } from './environment/installation.js';

/** One line of the fault matrix. */
export interface Scenario {
  /** The name, such as `crash relay.after-send`; `--only` selects scenarios by words of it. */
  name: string;
  /** The reason why it cannot run on this machine; undefined if it can. */
  missing?: () => string | undefined;
  /** Set if it runs only with `--long`, before a release, or when `--only` names it. */
  isForReleases?: boolean;
  /** Set if it runs before all others, because it needs the machine for itself. */
  isAlone?: boolean;
  /** Set if it waits for background work: it runs on a second installation, in parallel with the others. */
  isBackground?: boolean;
  /** Set if it uses no installation and may use a core for itself. */
  isApart?: boolean;
  run(harness: Harness): Promise<void>;
}

/** The tools of a scenario. */
export interface Harness {
  installation: Installation;
  random: Random;
  /** How long something is down: 10 s, or 60 s with `--long`. */
  pauseMs: number;
  isLong: boolean;
  /** Adds to a count of the report. */
  count(what: string, by?: number): void;
  /** Notes a value under a name; the report contains the highest one. */
  worst(what: string, value: number): void;
  /** Prints a line of progress. */
  say(text: string): void;
}

export interface ScenarioResult {
  name: string;
  outcome: 'passed' | 'failed' | 'not run';
  /** The reason why it was not run, or how it failed. */
  reason?: string;
  seed: number;
  durationMs: number;
  counts: Record<string, number>;
}

/** Whether every word of a text is in the scenario's name. */
export function isNamed({ name }: Pick<Scenario, 'name'>, text: string): boolean {
  return text.split(' ').every((word) => name.includes(word));
}
