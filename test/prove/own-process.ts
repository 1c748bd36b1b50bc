import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const SHOWN_CHARACTERS = 4_000;

/** How a process ended. */
export interface EndedProcess<Report> {
  code: number | null;
  /** The JSON that it wrote; undefined if it ended before. */
  report?: Report;
  /** The signal or exit code, and the last lines of standard error, for people. */
  end: string;
}

export interface ProcessLimits {
  /** The time after which it is killed, in milliseconds. */
  limitMs: number;
  /** Gets each line of its standard error. */
  onLine?: (line: string) => void;
}

/**
 * Runs a Node.js program in a separate process, which uses a core for itself and ends with this one.
 * @param words builds its command line, given the file for its report.
 */
export async function runOwnProcess<Report>(
  words: (reportFile: string) => readonly (string | number)[],
  { limitMs, onLine }: ProcessLimits,
): Promise<EndedProcess<Report>> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-'));
  const reportFile = join(folder, 'report.json');
  const child = spawn(process.execPath, words(reportFile).map(String), {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: limitMs,
  });
  const stop = () => void child.kill();
  process.once('exit', stop);
  let errors = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    errors = `${errors}${line}\n`.slice(-SHOWN_CHARACTERS);
    onLine?.(line);
  });
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    const report = readReport(reportFile) as Report | undefined;
    return { code, report, end: `it ended with ${signal ?? code}: ${errors}` };
  } finally {
    process.off('exit', stop);
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
