import { execFile } from 'node:child_process';
import { withClient } from '#libs/database';
import { EventsConfig, KafkaTransport } from '#libs/messaging';
import { Logger, loadConfig } from '#libs/platform';

const CLI = new URL('../../../cli/src/main.js', import.meta.url).pathname;
const TIMEOUT_MS = 60_000;

/** Creates the services' database on a server that does not have it yet. */
export async function createDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const known = await client.query('select from pg_database where datname = $1', [name]);
    if (!known.rowCount) await client.query(`create database ${name}`);
  });
}

/** Runs a command of the operator's, as `npm run cli -- …` does. @throws with what it said. */
export function runCli(
  command: string,
  settings: Record<string, string | undefined>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...settings }, timeout: TIMEOUT_MS };
    execFile(process.execPath, [CLI, command], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`cli ${command}: ${stderr || stdout || error.message}`));
      else resolve();
    });
  });
}

/** The topics of every service. */
export async function createTopics(settings: Record<string, string | undefined>): Promise<void> {
  const config = loadConfig(EventsConfig, settings);
  const logger = new Logger('cluster');
  const transport = new KafkaTransport({ config, logger, onDeath: () => {} });
  await transport.createTopics();
  await transport.close();
}
