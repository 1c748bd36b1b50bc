import type { Random } from './random.js';
import type { Installation } from './world/installation.js';

/** One line of the fault matrix. */
export interface Row {
  /** By which `--only` finds it; rows of one kind begin alike: `crash relay.after-send`. */
  name: string;
  /** What is done to the installation. */
  fault: string;
  /** What must hold beyond what holds in every row. */
  expectation: string;
  /** Takes too long for the short form. */
  isLong?: boolean;
  /** Why it cannot run on this machine; undefined when it can. */
  missing?: () => string | undefined;
  run(stage: Stage): Promise<void>;
}

/** What a row works with. */
export interface Stage {
  installation: Installation;
  random: Random;
  /** How long something is away: 10 s, or 60 s with `--long`. */
  pauseMs: number;
  isLong: boolean;
  /** Adds to a count of the report. */
  count(what: string, by?: number): void;
  /** The highest of the values noted under a name, for the report. */
  worst(what: string, value: number): void;
  /** A line of progress. */
  say(text: string): void;
}

export interface RowResult {
  name: string;
  fault: string;
  expectation: string;
  outcome: 'passed' | 'failed' | 'not run';
  /** Why it was not run, or how it failed. */
  reason?: string;
  seed: number;
  durationMs: number;
  counts: Record<string, number>;
}

/** A row's own expectation was not met; the message says how. */
export class Broken extends Error {}

/** @throws Broken with the text unless it holds. */
export function holds(condition: boolean, otherwise: string): void {
  if (!condition) throw new Broken(otherwise);
}
