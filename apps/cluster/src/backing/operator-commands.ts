import { execFile } from 'node:child_process';
import { withClient } from '#libs/database';
import { MINUTE_MS } from '#libs/platform';
import { ownCompileCache } from '../processes/compile-cache.js';

const CLI = new URL('../../../cli/src/main.js', import.meta.url).pathname;
/**
 * The time limit of a command: long enough for every migration on a busy machine, so only a command
 * that hangs reaches it.
 */
const TIMEOUT_MS = 5 * MINUTE_MS;

/** Creates the services' database if the server does not have it yet. */
export async function createDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const known = await client.query('select from pg_database where datname = $1', [name]);
    if (!known.rowCount) await client.query(`create database ${name}`);
  });
}

/**
 * Runs an operator's command, as `npm run cli -- …` does.
 * @throws Error with the command's output if it fails or does not end within five minutes.
 * @param program the compiled command line of another release; if undefined, that of this release.
 */
export function runCli(
  command: string,
  settings: Record<string, string | undefined>,
  program = CLI,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { NODE_COMPILE_CACHE: ownCompileCache(), ...settings };
    const options = { env, timeout: TIMEOUT_MS };
    execFile(process.execPath, [program, command], options, (error, stdout, stderr) => {
      const late = error?.killed ? ` (ended after ${TIMEOUT_MS / MINUTE_MS} minutes)` : '';
      if (error) reject(new Error(`cli ${command}${late}: ${stderr || stdout || error.message}`));
      else resolve();
    });
  });
}
