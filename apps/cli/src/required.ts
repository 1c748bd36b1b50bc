import { ConfigurationError } from '#libs/platform';

/** A setting that only some commands need. @throws ConfigurationError naming it when it is absent. */
export function required<T extends object, K extends keyof T>(
  config: T,
  property: K,
  env: string,
): NonNullable<T[K]> {
  const value = config[property];
  if (value === undefined || value === null) {
    throw new ConfigurationError([
      `${env}: this command needs it. While "npm start" runs, npm run cli finds it in .data/operator.env`,
    ]);
  }
  return value;
}
