import { auditorRole, maintenanceRole, serviceRole } from '#libs/database';
import { FilesConfig } from '#libs/files';
import { EventsConfig } from '#libs/messaging';
import { type ConfigClass, type ServiceName, TelemetryConfig, settingsOf } from '#libs/platform';
import type { AnyService } from './service.js';

export type Settings = Record<string, string | undefined>;

/**
 * Returns the services that run with these settings: those that require none, and those for which at least one required
 * setting is given, as a value or a file.
 */
export function installed(
  services: readonly AnyService[],
  environment: Settings,
): readonly AnyService[] {
  const isGiven = (env: string) =>
    [env, `${env}_FILE`].some((name) => (environment[name]?.trim() ?? '') !== '');
  return services.filter(
    ({ requires }) => requires === undefined || requires.some((env) => isGiven(env)),
  );
}

/** Returns the services that own a schema, in the given order. */
export function schemaServices(services: readonly AnyService[]): ServiceName[] {
  return services.filter(({ migrations }) => migrations !== undefined).map(({ name }) => name);
}

/** Returns every config class that a process of the service reads, its own first. */
export function configsOf(service: AnyService): ConfigClass<object>[] {
  return [service.config, TelemetryConfig, ...connectionConfigs(service)];
}

/**
 * Returns the config classes of the event transport and the file store, which are opened for the service before it
 * starts.
 */
export function connectionConfigs({ migrations, usesFiles }: AnyService): ConfigClass<object>[] {
  return [...(migrations ? [EventsConfig] : []), ...(usesFiles ? [FilesConfig] : [])];
}

/**
 * Returns the secrets that an installation generates once, by the names of their settings; services with the same
 * setting share the secret.
 */
export function generatedSecrets(services: readonly AnyService[]): string[] {
  const settings = services.flatMap(({ config }) => settingsOf(config));
  return [...new Set(settings.filter(({ generated }) => generated).map(({ env }) => env))];
}

/** Returns the settings with the database URLs that a service reads, one for each role under which it connects. */
export function databaseSettings(
  service: AnyService,
  urlOf: (role: string) => string,
): Record<string, string> {
  const { name } = service;
  const prefix = name.toUpperCase();
  const roles = {
    [databaseSetting(name)]: serviceRole(name),
    [`${prefix}_MAINTENANCE_DATABASE_URL`]: maintenanceRole(name),
    [`${prefix}_AUDITOR_DATABASE_URL`]: auditorRole(name),
  };
  const urls = Object.entries(roles).map(([env, role]) => [env, urlOf(role)]);
  return readBy(service, Object.fromEntries(urls)) as Record<string, string>;
}

/**
 * Returns the settings that operator commands read for each schema: `<NAME>_DATABASE_URL`, with the service's own role.
 */
export function operatorDatabases(
  services: readonly AnyService[],
  urlOf: (role: string) => string,
): Record<string, string> {
  const names = schemaServices(services);
  return Object.fromEntries(names.map((name) => [databaseSetting(name), urlOf(serviceRole(name))]));
}

/** Returns the name of the setting with a service's database URL, for the service's own role. */
export function databaseSetting(name: ServiceName): string {
  return `${name.toUpperCase()}_DATABASE_URL`;
}

/** Returns the name of the setting with the administrator URL of a service's own database. */
export function ownDatabaseSetting(name: ServiceName): string {
  return `${name.toUpperCase()}_DATABASE_ADMIN_URL`;
}

/** Selects, from all settings of an installation, those that a process of this service reads, as values or files. */
export function readBy(service: AnyService, known: Settings): Settings {
  const read = new Set(
    configsOf(service)
      .flatMap(settingsOf)
      .map(({ env }) => env),
  );
  return Object.fromEntries(
    Object.entries(known).filter(([env]) => read.has(env) || read.has(env.replace(/_FILE$/, ''))),
  );
}
