import type { Command } from 'commander';
import {
  SCHEMA_SERVICES,
  derivedRolePassword,
  migrate,
  ownerRole,
  provisionRoles,
  provisionSchemas,
} from '#libs/database';
import { type EventsConfig, createTopics, grantAccess } from '#libs/messaging';
import type { CliConfig } from '../cli.config.js';
import { EVENT_READERS, MIGRATIONS } from '../declared.js';
import { required } from '../required.js';

/** `provision` and `migrate`: what a superuser prepares, and what the owner roles then change. */
export function schemaCommands(program: Command, config: CliConfig, events: EventsConfig): void {
  program
    .command('provision')
    .description('create or repair roles, their passwords and the schemas; safe to repeat')
    .action(() => provision(config));
  program
    .command('migrate')
    .description(
      'bring every schema and the topics up to date; safe to repeat and to run twice at once',
    )
    .action(async () => {
      await migrateAll(config);
      if (events.kafkaBrokers.length > 0) await prepareTopics(events);
    });
}

async function provision(config: CliConfig): Promise<void> {
  const adminUrl = required(config, 'databaseAdminUrl', 'DATABASE_ADMIN_URL');
  const secret = roleSecret(config);
  await provisionRoles(adminUrl, SCHEMA_SERVICES, (role) => derivedRolePassword(secret, role));
  await provisionSchemas(adminUrl, SCHEMA_SERVICES);
  process.stdout.write(
    `${SCHEMA_SERVICES.length} schemas are ready: ${SCHEMA_SERVICES.join(', ')}\n`,
  );
}

async function migrateAll(config: CliConfig): Promise<void> {
  const adminUrl = required(config, 'databaseAdminUrl', 'DATABASE_ADMIN_URL');
  for (const service of SCHEMA_SERVICES) {
    const url = new URL(adminUrl);
    url.username = ownerRole(service);
    url.password = derivedRolePassword(roleSecret(config), ownerRole(service));
    const applied = await migrate(url.toString(), MIGRATIONS[service]);
    process.stdout.write(`${service}: ${applied.join(', ') || 'up to date'}\n`);
  }
}

/** The user given has to be one who may create topics and access rules. */
async function prepareTopics(events: EventsConfig): Promise<void> {
  const created = await createTopics(events);
  process.stdout.write(`topics: ${created.join(', ') || 'up to date'}\n`);
  if (!events.kafkaSaslUsername) return;
  await grantAccess(events, EVENT_READERS);
  process.stdout.write(`access to topics: ${Object.keys(EVENT_READERS).join(', ')}\n`);
}

const roleSecret = (config: CliConfig) =>
  required(config, 'databaseRoleSecret', 'DATABASE_ROLE_SECRET');
