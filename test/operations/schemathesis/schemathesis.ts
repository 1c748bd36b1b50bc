import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cachedPath, madeOnce } from '../../environment/made-once.js';

const run = promisify(execFile);
/** A list of every package with its version, so that the same seed gives the same requests. */
const REQUIREMENTS = resolve('test/operations/schemathesis/requirements.txt');
const DOWNLOAD_LIMIT_MS = 300_000;
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;
const START = 'from schemathesis.cli import schemathesis; schemathesis()';

const folderOf = () => cachedPath('schemathesis', [REQUIREMENTS]);

/** @returns undefined if Schemathesis is installed or pip can fetch it, and otherwise the reason why not. */
export function schemathesisAvailability(): string | undefined {
  if (existsSync(folderOf())) return undefined;
  const { status } = spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'no Python with pip on this machine';
}

/**
 * Returns the path of the Python interpreter in the environment with Schemathesis, which is installed once in the
 * user's cache.
 */
export async function schemathesisPython(): Promise<string> {
  return join(await madeOnce(folderOf(), install), 'bin/python');
}

async function install(into: string): Promise<void> {
  // Debian's Python cannot install pip into the environment, so the machine's own pip is used.
  await run('python3', ['-m', 'venv', '--without-pip', into]);
  const pip = ['-m', 'pip', '--python', join(into, 'bin/python'), 'install', '--quiet'];
  const only = ['--only-binary', ':all:', '--requirement', REQUIREMENTS];
  await run('python3', [...pip, ...only], { timeout: DOWNLOAD_LIMIT_MS });
}

/** @returns the output of Schemathesis, and whether it found no faults. */
export async function schemathesis(
  args: readonly string[],
  { cwd, timeoutMs }: { cwd: string; timeoutMs: number },
): Promise<{ isSound: boolean; output: string }> {
  const options = { cwd, timeout: timeoutMs, maxBuffer: OUTPUT_MAX_BYTES };
  try {
    const { stdout } = await run(await schemathesisPython(), ['-c', START, ...args], options);
    return { isSound: true, output: stdout };
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout: string; stderr: string } & Error;
    return { isSound: false, output: `${stdout}${stderr}${message}` };
  }
}
