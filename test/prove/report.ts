import { cpus, totalmem } from 'node:os';
import type { RowResult } from './row.js';

export interface ProveReport {
  /** RFC 3339. */
  startedAt: string;
  machine: string;
  /** Repeats every choice of the run: `--seed`. */
  seed: number;
  isLong: boolean;
  durationMs: number;
  rows: RowResult[];
}

export function machine(): string {
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpus()[0].model}), ${gib} GiB, Node ${process.version}`;
}

/** How many rows ended how. */
export function summary({ rows }: Pick<ProveReport, 'rows'>): string {
  const count = (outcome: RowResult['outcome']) =>
    rows.filter((row) => row.outcome === outcome).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('not run')} not run`;
}

/** The last lines of a run: how many, how long, how to repeat it, and why rows failed or were not run. */
export function closing(report: ProveReport): string {
  const { rows, seed, durationMs } = report;
  const odd = rows.filter(({ outcome }) => outcome !== 'passed').map((row) => `  ${line(row)}`);
  return [`${summary(report)} in ${seconds(durationMs)}, seed ${seed}`, ...odd].join('\n');
}

/** The report for people. */
export function markdown(report: ProveReport): string {
  const { startedAt, seed, isLong, durationMs, rows } = report;
  const lines = rows.map(
    (row) =>
      `| ${[row.name, row.fault, row.expectation, outcomeOf(row), countsOf(row)].map(cell).join(' | ')} |`,
  );
  return [
    '# Fault matrix',
    '',
    `${summary(report)} in ${seconds(durationMs)}, ${startedAt}, ${report.machine}.`,
    `Repeat with \`npm run prove -- --seed ${seed}${isLong ? ' --long' : ''}\`.`,
    '',
    'After every row: each acknowledged command has its effect once, every outbox is empty, nothing is',
    'failed, all invariants hold, nobody was charged for an answer that did not arrive.',
    '',
    '| row | fault | expected besides | outcome | counts |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** One line for the terminal. */
export function line(row: RowResult): string {
  const mark = { passed: 'ok  ', failed: 'FAIL', 'not run': '-   ' }[row.outcome];
  const counts = countsOf(row);
  const text = `${mark} ${row.name.padEnd(36)} ${seconds(row.durationMs).padStart(7)}  ${row.reason ?? counts}`;
  return text.trimEnd();
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const outcomeOf = ({ outcome, reason }: RowResult) =>
  reason === undefined ? outcome : `**${outcome}**: ${reason}`;
const countsOf = ({ counts }: RowResult) =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
