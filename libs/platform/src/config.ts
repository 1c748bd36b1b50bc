import 'reflect-metadata';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { counted } from './counted.js';
import { numberRule, ruleText } from './rule-text.js';

/** One setting of a config class, as shown in `.env.example` and `docs/configuration.md`. */
export interface SettingDescription {
  /** The environment variable. Instead, `<env>_FILE` may name a file with the value; setting both is a fault. */
  env: string;
  about: string;
  /** Whether the setting is a secret. Secrets are never printed, not even their defaults. */
  secret?: boolean;
  /**
   * Whether the setting is generated: once per installation, from 32 random bytes, and shared by all services that use
   * it.
   */
  generated?: boolean;
  /** Whether the file is read again while the service runs; see `followFiles`. */
  isFollowed?: boolean;
  /** Whether the file may be missing or empty; the setting then counts as not given. */
  mayBeMissing?: boolean;
  /** The default as shown in documents, if it is computed. */
  defaultText?: string;
}

interface DeclaredSetting extends SettingDescription {
  property: string;
}

export type ConfigClass<T> = new () => T;

/** The maximum size of a setting's file. The largest expected content is a bundle of certificates. */
const FILE_SIZE_MAX_BYTES = 1024 * 1024;

/** An origin with a slash at its end, as browsers show it. Paths are appended to the origins in settings. */
const ORIGIN_WITH_SLASH = /^(https?:\/\/[^/?#]+)\/$/;

const declared = new Map<object, DeclaredSetting[]>();

/** Marks a property of a config class as read from the environment. */
export function Setting(description: SettingDescription): PropertyDecorator {
  return (prototype, property) => {
    const settings = declared.get(prototype.constructor) ?? [];
    settings.push({ ...description, property: String(property) });
    declared.set(prototype.constructor, settings);
  };
}

/** Returns the settings of a config class in declaration order, its base classes' first. */
export function settingsOf(configClass: ConfigClass<object>): DeclaredSetting[] {
  const base: unknown = Object.getPrototypeOf(configClass);
  const inherited =
    typeof base === 'function' && base.prototype ? settingsOf(base as ConfigClass<object>) : [];
  return [...inherited, ...(declared.get(configClass) ?? [])];
}

/** The error that reports all faults of a configuration at once; `faults` has one sentence for each. */
export class ConfigurationError extends Error {
  constructor(readonly faults: string[]) {
    super(
      `The configuration has ${counted(faults.length, 'fault')}:\n${faults.map((f) => `  - ${f}`).join('\n')}`,
    );
  }
}

/**
 * Reads a config class from `environment` (by default, that of the process) and the files that its `…_FILE` variables
 * name, and validates it with its class-validator decorators. Property initialisers are the defaults; blank text counts
 * as no value.
 * @throws ConfigurationError that lists every fault.
 */
export function loadConfig<T extends object>(
  configClass: ConfigClass<T>,
  environment: Record<string, string | undefined> = process.env,
): T {
  const faults: string[] = [];
  const unread = new Set<string>();
  const raw: Record<string, unknown> = {};
  for (const setting of settingsOf(configClass)) {
    try {
      const text = readSetting(environment, setting);
      if (text) raw[setting.property] = parseSetting(configClass, setting.property, text);
    } catch (error) {
      faults.push((error as Error).message);
      unread.add(setting.property);
    }
  }
  const config = Object.assign(plainToInstance(configClass, {}), raw);
  for (const error of validateSync(config, { forbidUnknownValues: true })) {
    if (unread.has(error.property)) continue;
    const setting = settingsOf(configClass).find((s) => s.property === error.property);
    const { property, constraints = {} } = error;
    const texts = Object.values(constraints).map((text) => ruleText(property, text));
    const rules = numberRule(configClass, property, constraints) ?? texts.join('; ');
    faults.push(`${setting?.env ?? property}: ${rules}. ${setting?.about ?? ''}`.trim());
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
  return config;
}

/** Returns the files, named in `environment` (by default, that of the process), of settings declared `isFollowed`. */
export function followedFiles(
  configClass: ConfigClass<object>,
  environment: Record<string, string | undefined> = process.env,
): string[] {
  const followed = settingsOf(configClass).filter(({ isFollowed }) => isFollowed);
  return followed.flatMap(({ env }) => environment[`${env}_FILE`]?.trim() || []);
}

export type Loaded<C extends readonly ConfigClass<object>[]> = {
  [I in keyof C]: InstanceType<C[I]>;
};

/**
 * Reads several config classes from `environment` (by default, that of the process): `const [a, b] = loadConfigs([A,
 * B])`.
 * @throws ConfigurationError that lists every fault of all classes, each once, although several services may describe
 *   the same setting in different sentences.
 */
export function loadConfigs<const C extends readonly ConfigClass<object>[]>(
  configClasses: C,
  environment: Record<string, string | undefined> = process.env,
): Loaded<C> {
  const faults = new Map<string, string>();
  const configs = configClasses.map((configClass) => {
    try {
      return loadConfig(configClass, environment);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      for (const fault of error.faults) {
        const setting = settingsOf(configClass).find(({ env }) => fault.startsWith(`${env}: `));
        const rules = fault.replace(setting?.about ?? '', '');
        if (!faults.has(rules)) faults.set(rules, fault);
      }
      return undefined;
    }
  });
  if (faults.size > 0) throw new ConfigurationError([...faults.values()]);
  return configs as unknown as Loaded<C>;
}

/**
 * Returns the text of a setting from its variable or its file; undefined or empty if it is not set.
 * @throws Error that describes the fault of its file, never the file's content.
 */
function readSetting(
  environment: Record<string, string | undefined>,
  { env, mayBeMissing = false }: SettingDescription,
): string | undefined {
  const text = environment[env]?.trim();
  const path = environment[`${env}_FILE`]?.trim();
  if (!path || (mayBeMissing && !existsSync(path))) return text;
  if (text) throw new Error(`${env}: is given twice, directly and by ${env}_FILE`);
  const held = readSettingFile(path, `${env}_FILE`);
  if (held === '' && !mayBeMissing) throw new Error(`${env}_FILE: the file it names is empty`);
  return held;
}

function readSettingFile(path: string, env: string): string {
  try {
    if (statSync(path).size <= FILE_SIZE_MAX_BYTES) return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${env}: cannot read the file it names (${code})`, { cause: error });
  }
  throw new Error(`${env}: the file it names is larger than ${FILE_SIZE_MAX_BYTES} bytes`);
}

function parseSetting(configClass: ConfigClass<object>, property: string, text: string): unknown {
  switch (kindOf(configClass, property)) {
    case 'number':
      return Number(text);
    case 'boolean':
      return { true: true, '1': true, false: false, '0': false }[text] ?? text;
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    default:
      return text.replace(ORIGIN_WITH_SLASH, '$1');
  }
}

/**
 * Returns the kind of a setting, determined by the declared type, or by the default of a property without a type (`port
 * = 0`).
 */
function kindOf(configClass: ConfigClass<object>, property: string): string {
  const type: unknown = Reflect.getMetadata('design:type', configClass.prototype, property);
  const value: unknown = Reflect.get(new configClass(), property);
  if (type === Array || Array.isArray(value)) return 'list';
  if (type === Number || typeof value === 'number') return 'number';
  if (type === Boolean || typeof value === 'boolean') return 'boolean';
  return 'text';
}
