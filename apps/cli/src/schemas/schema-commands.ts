import type { Command } from 'commander';
import { derivedRolePassword } from '#libs/database';
import { type EventsConfig, createTopics, grantAccess } from '#libs/messaging';
import type { ServersConfig } from '../servers.config.js';
import {
  InstallationDatabases,
  type OwnDatabases,
  eventReaders,
  schemaServices,
} from '#libs/services';
import { SERVICES } from '../declared.js';
import { required } from '../required.js';

/** `provision` and `migrate`: what an administrator prepares, and what the owner roles then change. */
export function schemaCommands(
  program: Command,
  config: ServersConfig,
  own: OwnDatabases,
  events: EventsConfig,
): void {
  program
    .command('provision')
    .description('create or repair roles, their passwords, schemas and extensions; safe to repeat')
    .option('--sql', 'print the statements, with the passwords, for another to run; change nothing')
    .action(async ({ sql }: { sql?: true }) => {
      const databases = databasesOf(config, own);
      if (sql) printScripts(databases);
      else await provision(databases);
    });
  program
    .command('migrate')
    .description(
      'bring every schema and the topics up to date; safe to repeat and to run twice at once',
    )
    .action(async () => {
      await databasesOf(config, own).migrate((name, applied) => {
        process.stdout.write(`${name}: ${applied.join(', ') || 'up to date'}\n`);
      });
      if (events.kafkaBrokers.length > 0) await prepareTopics(events);
    });
}

async function provision(databases: InstallationDatabases): Promise<void> {
  await databases.provision();
  const schemas = schemaServices(SERVICES);
  process.stdout.write(`${schemas.length} schemas are ready: ${schemas.join(', ')}\n`);
}

function printScripts(databases: InstallationDatabases): void {
  for (const { host, database, sql } of databases.provisionScripts) {
    process.stdout.write(`-- The database ${database} of ${host}\n${sql}\n`);
  }
}

/** Where the schemas are, according to the settings. @throws ConfigurationError naming one that is missing. */
export function databasesOf(config: ServersConfig, own: OwnDatabases): InstallationDatabases {
  const secret = required(config, 'databaseRoleSecret', 'DATABASE_ROLE_SECRET');
  return new InstallationDatabases({
    services: SERVICES,
    adminUrl: required(config, 'databaseAdminUrl', 'DATABASE_ADMIN_URL'),
    own,
    passwordOf: (role) => derivedRolePassword(secret, role),
  });
}

/** The user given has to be one who may create topics and access rules. */
async function prepareTopics(events: EventsConfig): Promise<void> {
  const created = await createTopics(events);
  process.stdout.write(`topics: ${created.join(', ') || 'up to date'}\n`);
  if (!events.kafkaSaslUsername && !events.kafkaTlsFolder) return;
  const readers = eventReaders(SERVICES);
  await grantAccess(events, readers);
  process.stdout.write(`access to topics: ${Object.keys(readers).join(', ')}\n`);
}
