import { ConfigurationError } from '#libs/platform';

/**
 * Where settings are found. A command reads only one of these places, because combining them would mix two
 * installations.
 */
const WHERE =
  'While "npm start" runs, npm run cli finds it in .data/operator.env, or in the folder that DATA_DIR names in this shell. ' +
  'It does not look there if this shell has another setting of an installation, such as DATABASE_ADMIN_URL: unset that. ' +
  'While "npm run cluster" runs: node_modules/.bin/node --env-file=.data/cluster/operator.env dist/apps/cli/src/main.js …';

/** Returns a setting that only some commands need. @throws ConfigurationError with its name if it is missing. */
export function required<T extends object, K extends keyof T>(
  config: T,
  property: K,
  env: string,
): NonNullable<T[K]> {
  const value = config[property];
  if (value === undefined || value === null) {
    throw new ConfigurationError([`${env}: this command needs it. ${WHERE}`]);
  }
  return value;
}
