import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PythonPackages } from '../../environment/python-packages.js';

const run = promisify(execFile);
/** Schemathesis with a pinned version of every package, so that the same seed gives the same requests. */
const PACKAGES = new PythonPackages(
  'schemathesis',
  'test/operations/schemathesis/requirements.txt',
);
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;
const START = 'from schemathesis.cli import schemathesis; schemathesis()';

export const schemathesisAvailability = (): string | undefined => PACKAGES.availability();

export const schemathesisPython = (): Promise<string> => PACKAGES.python();

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
