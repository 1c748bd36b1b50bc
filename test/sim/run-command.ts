import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the command writes with `--json`, as far as specs read it. */
export interface Report {
  histories: number;
  trace: string;
  failed: number[];
  shown: { seed: number; replay: string }[];
}

/** Time for one run of the command, however slow the machine. */
export const LIMIT_MS = 900_000;

const main = join(import.meta.dirname, 'main.js');

/**
 * `npm run sim` in a process of its own, as it puts virtual time in the place of the real one. Customers at a
 * processor have a spec of their own: `test/billing/histories`.
 */
export async function simulate<Json = Report>(
  options: string,
): Promise<{ code: number; report: Json }> {
  const folder = mkdtempSync(join(tmpdir(), 'dds-sim-spec-'));
  try {
    const json = join(folder, 'report.json');
    const words = [main, ...options.split(' '), '--no-payments', '--json', json];
    const code = await new Promise<number>((resolve) => {
      const child = execFile(process.execPath, words, { timeout: LIMIT_MS }, () =>
        resolve(child.exitCode ?? -1),
      );
    });
    return { code, report: JSON.parse(readFileSync(json, 'utf8')) as Json };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
