import type { ScenarioResult } from './scenario.js';

export interface ProveReport {
  /** A time as in RFC 3339. */
  startedAt: string;
  machine: string;
  /** Repeats every choice of the run: `--seed`. */
  seed: number;
  isLong: boolean;
  durationMs: number;
  scenarios: ScenarioResult[];
}

/** The number of scenarios by outcome. */
export function summary({ scenarios }: Pick<ProveReport, 'scenarios'>): string {
  const count = (outcome: ScenarioResult['outcome']) =>
    scenarios.filter((scenario) => scenario.outcome === outcome).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('not run')} not run`;
}

/** The last lines of a run: its counts and duration, how to repeat it, and why scenarios failed or were not run. */
export function closing(report: ProveReport): string {
  const { scenarios, seed, durationMs } = report;
  const odd = scenarios
    .filter(({ outcome }) => outcome !== 'passed')
    .map((scenario) => `  ${line(scenario)}`);
  return [`${summary(report)} in ${seconds(durationMs)}, seed ${seed}`, ...odd].join('\n');
}

/** One line for the terminal. */
export function line(scenario: ScenarioResult): string {
  const mark = { passed: 'ok  ', failed: 'FAIL', 'not run': '-   ' }[scenario.outcome];
  const counts = countsOf(scenario);
  const text = `${mark} ${scenario.name.padEnd(36)} ${seconds(scenario.durationMs).padStart(7)}  ${scenario.reason ?? counts}`;
  return text.trimEnd();
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const countsOf = ({ counts }: ScenarioResult) =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
