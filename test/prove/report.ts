import type { ScenarioResult } from './scenario.js';

/** Returns the last lines of a run: its counts, how to repeat it, and why scenarios failed or were not run. */
export function closing(scenarios: ScenarioResult[], seed: string): string {
  const count = (outcome: ScenarioResult['outcome']) =>
    `${scenarios.filter((scenario) => scenario.outcome === outcome).length} ${outcome}`;
  const odd = scenarios.filter(({ outcome }) => outcome !== 'passed');
  return [
    `${count('passed')}, ${count('failed')}, ${count('not run')}, seed ${seed}`,
    ...odd.map((scenario) => `  ${line(scenario)}`),
  ].join('\n');
}

export function line({ name, outcome, reason, durationMs, counts }: ScenarioResult): string {
  const mark = { passed: 'ok  ', failed: 'FAIL', 'not run': '-   ' }[outcome];
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  const counted = Object.entries(counts).map(([what, value]) => `${what} ${value}`);
  return `${mark} ${name.padEnd(36)} ${seconds.padStart(9)}  ${reason ?? counted.join(', ')}`;
}
