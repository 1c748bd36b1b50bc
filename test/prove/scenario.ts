import type { Random } from '../random.js';
import type { Installation } from './environment/installation.js';

/** One line of the fault matrix. */
export type Scenario = InstallationScenario | ApartScenario;

interface ScenarioInfo {
  /** The name, such as `crash relay.after-send`; `--only` selects scenarios by words of it. */
  name: string;
  /** The fault that is injected into the installation. */
  fault: string;
  /** The expectation beyond those that every scenario has. */
  expectation: string;
  /** The reason why it cannot run on this machine; undefined if it can. */
  missing?: () => string | undefined;
  /** Set if it runs only with `--long`, before a release, or when `--only` names it. */
  isForReleases?: boolean;
}

export interface InstallationScenario extends ScenarioInfo {
  isApart?: false;
  /** Set if other work on the machine would make its requests late: it runs first, before all others. */
  isAlone?: boolean;
  /** Set if it waits for background work: it runs on a second installation, in parallel with the others. */
  isBackground?: boolean;
  run(harness: InstallationHarness): Promise<void>;
}

/** A scenario that uses no installation and may use a core for itself. */
export interface ApartScenario extends ScenarioInfo {
  isApart: true;
  run(harness: Harness): Promise<void>;
}

/** The tools of a scenario on an installation. */
export interface InstallationHarness extends Harness {
  installation: Installation;
}

/** The tools of every scenario. */
export interface Harness {
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
  fault: string;
  expectation: string;
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
