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
      `${env}: this command needs it. With a running solo: node --env-file=.data/operator.env`,
    ]);
  }
  return value;
}
