import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EmbeddedServer,
  SCHEMA_SERVICES,
  ownerRole,
  provisionRoles,
  provisionSchemas,
  withClient,
} from '#libs/database';
import { TEMPLATE_DATABASE, TEST_PASSWORD, TEST_SERVER_URL } from '#libs/testing';
import { migrateAll } from './migrate-all.js';
import { remember } from './run.js';

/** Starts the run's PostgreSQL and makes the migrated template that spec files clone. */
export default async function setup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dds-test-'));
  const server = await EmbeddedServer.start({ folder, password: TEST_PASSWORD, durable: false });
  remember({ server, folder });
  await withClient(server.url(), async (client) => {
    await client.query(`create database ${TEMPLATE_DATABASE}`);
  });
  await provisionRoles(server.url(), SCHEMA_SERVICES, () => TEST_PASSWORD);
  await provisionSchemas(server.url(TEMPLATE_DATABASE), SCHEMA_SERVICES);
  await migrateAll((service) => {
    const url = new URL(server.url(TEMPLATE_DATABASE));
    url.username = ownerRole(service);
    return url.toString();
  });
  process.env[TEST_SERVER_URL] = server.url();
}
