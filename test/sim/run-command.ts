import { join } from 'node:path';
import { runOwnProcess } from '../prove/own-process.js';

/** What the command writes with `--json`, as far as specs read it. */
export interface Report {
  histories: number;
  trace: string;
  failed: number[];
  shown: { seed: number; replay: string }[];
}

/** Time for one run of the command, however slow the machine. */
export const LIMIT_MS = 900_000;

const MAIN = join(import.meta.dirname, 'main.js');

/**
 * `npm run sim` in a process of its own, as it puts virtual time in the place of the real one. Customers at a
 * processor have a spec of their own: `test/billing/histories`.
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
