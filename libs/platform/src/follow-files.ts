import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { SECOND_MS } from './clock.js';
import {
  type ConfigClass,
  ConfigurationError,
  followedFiles,
  loadConfig,
  settingsOf,
} from './config.js';
import type { Logger } from './logger.js';
import { Loop } from './loop.js';

const LOOK_EVERY_MS = 2 * SECOND_MS;

export interface FollowFilesOptions {
  logger: Logger;
  /** The environment that names the files; by default, that of the process. */
  environment?: Record<string, string | undefined>;
  /** The time between two checks; 2 s by default. */
  everyMs?: number;
}

/**
 * Keeps the settings that are declared `isFollowed` up to date with the files they were read from. A file that is
 * unreadable or contains an invalid value changes nothing and is logged by name. @returns the loop that checks the
 * files.
 */
export function followFiles(
  configs: readonly object[],
  { logger, environment, everyMs: intervalMs = LOOK_EVERY_MS }: FollowFilesOptions,
): Loop {
  const known = new Map<object, string>();
  const work = async () => {
    for (const config of configs) {
      const state = followedFiles(classOf(config), environment).map(stateOf).join();
      if (state === known.get(config)) continue;
      known.set(config, state);
      renew(config, environment, logger);
    }
  };
  const loop = new Loop({ name: 'settings that follow their files', intervalMs, logger, work });
  void loop.start(intervalMs);
  return loop;
}

function stateOf(path: string): string {
  const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${ino} ${size} ${mtimeMs}`;
}

const classOf = (config: object) => config.constructor as ConfigClass<object>;

function renew(
  config: object,
  environment: FollowFilesOptions['environment'],
  logger: Logger,
): void {
  try {
    const read = loadConfig(classOf(config), environment);
    for (const { env, property } of settingsOf(classOf(config)).filter((one) => one.isFollowed)) {
      const value: unknown = Reflect.get(read, property);
      if (isDeepStrictEqual(value, Reflect.get(config, property))) continue;
      Reflect.set(config, property, value);
      logger.info(`${env}_FILE has changed`);
    }
  } catch (error) {
    const { faults } = error as ConfigurationError;
    logger.warn('the changed file of a setting was rejected', { fault: faults?.join(' ') });
  }
}
