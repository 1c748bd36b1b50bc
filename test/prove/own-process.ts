import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const SHOWN_CHARACTERS = 4_000;

/**
 * Runs a Node.js program in a separate process, which can use a whole core and ends with this process.
 * @param words the program's command line, to which the path of its report is added.
 * @param limitMs the time after which it is killed.
 * @returns its exit code and the JSON that it wrote. @throws Error with its last output if it wrote none.
 */
export async function runOwnProcess<Report>(
  words: readonly string[],
  limitMs: number,
): Promise<{ code: number | null; report: Report }> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-'));
  const reportFile = join(folder, 'report.json');
  const child = spawn(process.execPath, [...words, reportFile], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: limitMs,
  });
  const stop = () => void child.kill();
  process.once('exit', stop);
  try {
    const errors = text(child.stderr);
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    try {
      return { code, report: JSON.parse(readFileSync(reportFile, 'utf8')) as Report };
    } catch (cause) {
      const end = (await errors).slice(-SHOWN_CHARACTERS);
      throw new Error(`the process ended with ${signal ?? code}: ${end}`, { cause });
    }
  } finally {
    process.off('exit', stop);
    rmSync(folder, { recursive: true, force: true });
  }
}
