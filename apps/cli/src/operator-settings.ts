import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigurationError, processExists, settingsOf } from '#libs/platform';
import { CliConfig } from './cli.config.js';

export type Settings = Record<string, string | undefined>;

/**
 * The variable that names the process to which the settings belong. A shell that has read the file
 * also has this variable.
 */
const OWNER = 'OPERATOR_ENV_OF';
const FILE = 'operator.env';
/** A further setting that belongs to the installation, although only some commands read it. */
const SERVER = 'DATABASE_ADMIN_URL';
/** Settings that belong to the shell, not to an installation. */
const OF_THE_SHELL: readonly string[] = ['dataFolder', 'operatorName'];

/**
 * Returns the settings that commands get. The settings of an installation come from the shell or, if it has none, from
 * the installation that runs in `dataFolder`, never from both. Settings that a shell took from an installation that has
 * ended in the meantime are ignored. @throws ConfigurationError if there are no other settings.
 */
export function operatorSettings(environment: Settings, dataFolder: string): Settings {
  const owned = settingsOf(CliConfig)
    .filter(({ property }) => !OF_THE_SHELL.includes(property))
    .map(({ env }) => env)
    .concat(SERVER)
    .flatMap((env) => [env, `${env}_FILE`]);
  const owner = environment[OWNER];
  const isStale = owner !== undefined && !isAlive(Number(owner));
  if (!isStale && owned.some((name) => environment[name]?.trim())) return environment;
  const kept = Object.entries(environment).filter(([name]) => !owned.includes(name));
  const file = readRunning(join(dataFolder, FILE));
  if (file) return { ...Object.fromEntries(kept), ...file };
  if (!isStale) return environment;
  throw new ConfigurationError([
    `this shell has the settings of an installation that has ended (process ${owner}). Open another shell, or: unset ${OWNER} ${owned.filter((name) => environment[name]).join(' ')}`,
  ]);
}

/**
 * Returns the settings in the file of a running process; undefined if there is none. A killed
 * process leaves its file behind, which is ignored.
 */
function readRunning(path: string): Settings | undefined {
  if (!existsSync(path)) return undefined;
  const settings = parseEnv(readFileSync(path, 'utf8'));
  return isAlive(Number(settings[OWNER])) ? settings : undefined;
}

const isAlive = (pid: number) => pid > 0 && processExists(pid);
