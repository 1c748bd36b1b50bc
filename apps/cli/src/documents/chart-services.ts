import { BUCKET_COUNT, type EventConsumers, type EventReaders, topicOf } from '#libs/messaging';
import { type ConfigClass, ConfigurationError, loadConfig, settingsOf } from '#libs/platform';
import {
  type AnyService,
  configsOf,
  databaseSetting,
  durableConsumers,
  eventReaders,
  schemaServices,
} from '#libs/services';
import { ServersConfig } from '../servers.config.js';

interface ChartSecret {
  env: string;
  file: string;
  isRequired: boolean;
  mayBeMissing: boolean;
}

interface ChartService {
  name: string;
  entry: string;
  hosts: string[];
  /** Settings of the service's ports, the internal port first. */
  listeners: { port: string; isPublic: boolean }[];
  urlSetting: string | null;
  /** The settings that enable the service; null if every installation has it. */
  requires: readonly string[] | null;
  /** The services whose addresses this service gets. */
  calls: string[];
  /** Whether the service owns a schema and publishes or consumes events. */
  usesEvents: boolean;
  /** The topic that the service writes, and the topics that it may read. */
  topic: string;
  hears: string[];
  /** Topics that the service must consume completely: their lag is its backlog. */
  consumes: string[];
  outwardPorts: number[];
  /** The connections of one process to PostgreSQL: names of pool settings, or sizes of fixed pools. */
  connections: (string | number)[];
  secrets: ChartSecret[];
  settings: string[];
}

/**
 * Generates `files/services.json` of the Helm chart. The templates read the services from this file. Secret files have
 * the names that `cli secrets` gives them.
 */
export async function chartServices(services: readonly AnyService[]): Promise<string> {
  const events = {
    consumers: await durableConsumers(services),
    readers: await eventReaders(services),
  };
  const known = {
    partitions: BUCKET_COUNT,
    services: services.map((one) => chartService(one, services, events)),
    operator: operatorPod(services),
  };
  return `${JSON.stringify(known, null, 2)}\n`;
}

function chartService(
  service: AnyService,
  services: readonly AnyService[],
  { consumers, readers }: { consumers: EventConsumers; readers: EventReaders },
): ChartService {
  const {
    name,
    listeners,
    urlSetting,
    requires,
    migrations,
    outwardPorts = [],
    connections = [],
  } = service;
  const settings = configsOf(service).flatMap((config) =>
    settingsOf(config).map((setting) => ({ ...setting, config })),
  );
  const names = settings.map(({ env }) => env);
  const producers = Object.entries(consumers)
    .filter(([, hearing]) => hearing.includes(name))
    .map(([producer]) => producer as AnyService['name']);
  return {
    name,
    entry: `dist/apps/${name}/src/main.js`,
    hosts: names.filter((env) => env.endsWith('_HOST')),
    listeners: listeners.map(({ port, isPublic = false }) => ({ port, isPublic })),
    urlSetting: urlSetting ?? null,
    requires: requires ?? null,
    calls: services
      .filter((other) => other.urlSetting !== undefined && names.includes(other.urlSetting))
      .map((other) => other.name),
    usesEvents: migrations !== undefined,
    topic: topicOf(name),
    hears: (readers[name] ?? []).map(topicOf),
    consumes: producers.map(topicOf),
    outwardPorts: [...outwardPorts],
    connections: [...connections],
    secrets: settings
      .filter(({ secret }) => secret)
      .map(({ env, config, mayBeMissing = false }) => ({
        env,
        file: secretFile(name, env),
        isRequired: !mayBeMissing && isMissed(config, env),
        mayBeMissing,
      })),
    settings: settings
      .filter(({ env, secret }) => !secret && env !== 'SERVICE_SECRET_FILE')
      .map(({ env }) => env),
  };
}

/**
 * Lists the connections of operator commands: to the services that they call, and to every database under its service's
 * role.
 */
function operatorPod(services: readonly AnyService[]) {
  const settings = settingsOf(ServersConfig).map(({ env }) => env);
  const calls = services.filter(({ urlSetting }) => urlSetting && settings.includes(urlSetting));
  const databases = schemaServices(services).map((service) => {
    const env = databaseSetting(service);
    return { env, file: secretFile('cli', env) };
  });
  return {
    calls: calls.map(({ name }) => name),
    settings: ['INTERNAL_TLS_FOLDER', ...calls.map(({ urlSetting }) => urlSetting)],
    secrets: [{ env: 'SERVICE_SECRET', file: secretFile('cli', 'SERVICE_SECRET') }, ...databases],
  };
}

/** Whether a process fails to start without a value for this setting. */
function isMissed(config: ConfigClass<object>, env: string): boolean {
  try {
    loadConfig(config, {});
    return false;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.some((fault) => fault.startsWith(`${env}: `));
  }
}

/**
 * Returns the name of a secret's file. It includes the service's name if each service has its own value: the token
 * secret and the password of the broker user.
 */
function secretFile(service: string, env: string): string {
  const isOwn = env === 'SERVICE_SECRET' || env === 'KAFKA_SASL_PASSWORD';
  return isOwn ? `${service}_${env.toLowerCase()}` : env.toLowerCase();
}
