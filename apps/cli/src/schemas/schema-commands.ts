import type { Command } from 'commander';
import { derivedRolePassword } from '#libs/database';
import { type EventsConfig, createTopics, grantAccess } from '#libs/messaging';
import { counted } from '#libs/platform';
import type { ServersConfig } from '../servers.config.js';
import {
  InstallationDatabases,
  type OwnDatabases,
  type VerifiedService,
  eventReaders,
  schemaServices,
} from '#libs/services';
import { SERVICES } from '../declared.js';
import { type OutputOptions, answer } from '../output.js';
import { required } from '../required.js';

/**
 * Adds `provision`, `migrate` and `verify`: an administrator creates roles and schemas, the owner roles change the
 * tables, and the auditor roles check the data.
 */
export function schemaCommands(
  program: Command,
  config: ServersConfig,
  own: OwnDatabases,
  events: EventsConfig,
): void {
  program
    .command('provision')
    .description('create or repair roles, their passwords, schemas and extensions; safe to repeat')
    .option(
      '--sql',
      'print the statements, including passwords, for someone else to run; change nothing',
    )
    .action(async (options: OutputOptions & { sql?: true }) => {
      const databases = databasesOf(config, own);
      if (options.sql) printScripts(databases, options);
      else await provision(databases, options);
    });
  program
    .command('migrate')
    .description(
      'migrate all schemas and create the topics; can be repeated, and run twice at the same time',
    )
    .action((options: OutputOptions) => migrate(databasesOf(config, own), events, options));
  program
    .command('verify')
    .description(
      'check the stored money and credits against the invariants, for example in a restored backup; changes nothing, and needs no running service; exits with 1 if one is violated',
    )
    .action((options: OutputOptions) => verify(databasesOf(config, own), options));
}

async function provision(databases: InstallationDatabases, options: OutputOptions): Promise<void> {
  await databases.provision();
  answer(options, { schemas: schemaServices(SERVICES) }, ({ schemas }) => [
    `${schemas.length} schemas are ready: ${schemas.join(', ')}`,
  ]);
}

function printScripts(databases: InstallationDatabases, options: OutputOptions): void {
  const { provisionScripts: scripts } = databases;
  if (options.json) return answer(options, scripts, () => []);
  // The text is printed unchanged, because a password may contain any character.
  for (const { host, database, sql } of scripts) {
    process.stdout.write(`-- The database ${database} of ${host}\n${sql}\n`);
  }
}

/**
 * Migrates the schemas and, if Kafka is configured, prepares its topics. Without `--json`, each line is written as soon
 * as its step is done, because the next step may fail.
 */
async function migrate(
  databases: InstallationDatabases,
  events: EventsConfig,
  { json }: OutputOptions,
): Promise<void> {
  const done: Record<string, readonly string[]> = {};
  const note = (name: string, applied: readonly string[]) => {
    done[name] = applied;
    if (!json) process.stdout.write(`${name}: ${applied.join(', ') || 'up to date'}\n`);
  };
  await databases.migrate(note);
  if (events.kafkaBrokers.length > 0) await prepareTopics(events, note);
  if (json) answer({ json }, done, () => []);
}

/**
 * Reads the databases of the schemas from the settings. @throws ConfigurationError with the name of a missing setting.
 */
export function databasesOf(config: ServersConfig, own: OwnDatabases): InstallationDatabases {
  const secret = required(config, 'databaseRoleSecret', 'DATABASE_ROLE_SECRET');
  return new InstallationDatabases({
    services: SERVICES,
    adminUrl: required(config, 'databaseAdminUrl', 'DATABASE_ADMIN_URL'),
    own,
    passwordOf: (role) => derivedRolePassword(secret, role),
  });
}

async function verify(databases: InstallationDatabases, options: OutputOptions): Promise<void> {
  const verified = await databases.verify();
  if (verified.some(({ violated }) => violated.length > 0)) process.exitCode = 1;
  answer(options, verified, (all) => all.flatMap(findingsOf));
}

function findingsOf({ service, checked, newestEventAt, violated }: VerifiedService): string[] {
  const newest = newestEventAt ? `newest event ${newestEventAt.toISOString()}` : 'no events';
  return [
    `${service}: ${checked - violated.length} of ${checked} invariants hold; ${newest}`,
    ...violated.map(
      ({ id, statement, rows, examples }) =>
        `  ${id} does not hold for ${counted(rows, 'row')}: ${statement}. ${JSON.stringify(examples)}`,
    ),
  ];
}

/** Creates topics and, if a user of the broker is configured, access rules; this user must have the right to do so. */
async function prepareTopics(
  events: EventsConfig,
  note: (name: string, done: readonly string[]) => void,
): Promise<void> {
  note('topics', await createTopics(events));
  if (!events.kafkaSaslUsername && !events.kafkaTlsFolder) return;
  const readers = await eventReaders(SERVICES);
  await grantAccess(events, readers);
  note('access to topics', Object.keys(readers));
}
