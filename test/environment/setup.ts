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
import teardown from './teardown.js';

/** Starts the run's PostgreSQL and makes the migrated template that spec files clone. */
export default async function setup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dds-test-'));
  const server = await EmbeddedServer.start({ folder, password: TEST_PASSWORD, durable: false });
  remember({ server, folder });
  try {
    await prepare(server);
  } catch (error) {
    // Jest runs no teardown after a failed setup.
    await teardown();
    throw error;
  }
  process.env[TEST_SERVER_URL] = server.url();
}

async function prepare(server: EmbeddedServer): Promise<void> {
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
}
