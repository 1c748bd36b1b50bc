import type { Command } from 'commander';
import {
  derivedRolePassword,
  migrate,
  ownerRole,
  provisionRoles,
  provisionSchemas,
} from '#libs/database';
import { type EventsConfig, createTopics, grantAccess } from '#libs/messaging';
import type { CliConfig } from '../cli.config.js';
import { eventReaders, schemaServices } from '#libs/services';
import { SERVICES } from '../declared.js';
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
  const schemas = schemaServices(SERVICES);
  await provisionRoles(adminUrl, schemas, (role) => derivedRolePassword(secret, role));
  await provisionSchemas(adminUrl, schemas);
  process.stdout.write(`${schemas.length} schemas are ready: ${schemas.join(', ')}\n`);
}

async function migrateAll(config: CliConfig): Promise<void> {
  const adminUrl = required(config, 'databaseAdminUrl', 'DATABASE_ADMIN_URL');
  for (const { name, migrations } of SERVICES) {
    if (!migrations) continue;
    const url = new URL(adminUrl);
    url.username = ownerRole(name);
    url.password = derivedRolePassword(roleSecret(config), ownerRole(name));
    const applied = await migrate(url.toString(), migrations);
    process.stdout.write(`${name}: ${applied.join(', ') || 'up to date'}\n`);
  }
}

/** The user given has to be one who may create topics and access rules. */
async function prepareTopics(events: EventsConfig): Promise<void> {
  const created = await createTopics(events);
  process.stdout.write(`topics: ${created.join(', ') || 'up to date'}\n`);
  if (!events.kafkaSaslUsername) return;
  const readers = eventReaders(SERVICES);
  await grantAccess(events, readers);
  process.stdout.write(`access to topics: ${Object.keys(readers).join(', ')}\n`);
}

const roleSecret = (config: CliConfig) =>
  required(config, 'databaseRoleSecret', 'DATABASE_ROLE_SECRET');
