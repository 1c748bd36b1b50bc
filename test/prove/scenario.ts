import type { Random } from '../random.js';
import type { Installation } from './environment/installation.js';

export interface Scenario {
  /** The name, such as `crash relay.after-send`; `--only` selects scenarios by words in their names. */
  name: string;
  /** Returns the reason why the scenario cannot run on this machine, or undefined if it can. */
  missing?: () => string | undefined;
  /** Whether the scenario runs only before a release (`--long`), or when `--only` names it. */
  isForReleases?: boolean;
  /**
   * `alone`: runs before all others, because it needs the whole machine. `background`: waits for background work, so it
   * runs on a second installation in parallel with the others. `apart`: uses no installation, and can use a whole core.
   */
  group?: 'alone' | 'background' | 'apart';
  run(harness: Harness): Promise<void>;
}

export interface Harness {
  installation: Installation;
  random: Random;
  /** The duration of an outage: 10 s, or 60 s with `--long`. */
  pauseMs: number;
  isLong: boolean;
  count(what: string, by?: number): void;
  worst(what: string, value: number): void;
}

export interface ScenarioResult {
  name: string;
  outcome: 'passed' | 'failed' | 'not run';
  /** The reason why the scenario was not run, or how it failed. */
  reason?: string;
  seed: number;
  durationMs: number;
  counts: Record<string, number>;
}

export function isNamed({ name }: Pick<Scenario, 'name'>, text: string): boolean {
  return text.split(' ').every((word) => name.includes(word));
}
