import { join } from 'node:path';
import { runOwnProcess } from '../prove/own-process.js';

/** The part of the command's `--json` output that specs read. */
export interface Report {
  histories: number;
  trace: string;
  failed: number[];
  shown: { seed: number; replay: string }[];
}

/** The time limit for one run of the command on a slow machine. */
export const LIMIT_MS = 900_000;

const MAIN = join(import.meta.dirname, 'main.js');

/**
 * Runs `npm run sim` in a separate process, because it replaces real time with virtual time. Histories of customers at
 * a processor have their own spec in `test/billing/histories`.
 */
export async function simulate<Json = Report>(
  options: string,
): Promise<{ code: number | null; report: Json }> {
  const { code, report, end } = await runOwnProcess<Json>(
    (file) => [MAIN, ...options.split(' '), '--no-payments', '--json', file],
    { limitMs: LIMIT_MS },
  );
  if (report === undefined) throw new Error(end);
  return { code, report };
}
