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
import {
  TEMPLATE_DATABASE,
  TEST_PASSWORD,
  TEST_SERVER_URL,
  TEST_VALKEY_URL,
  ValkeyServer,
  valkeyAvailability,
} from '#libs/testing';
import { migrateAll } from './migrate-all.js';
import { type Run, remember } from './run.js';
import teardown from './teardown.js';

/**
 * Starts the run's PostgreSQL and makes the migrated template that spec files clone; starts its Valkey
 * where there is one.
 */
export default async function setup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dds-test-'));
  const server = await EmbeddedServer.start({ folder, password: TEST_PASSWORD, durable: false });
  const run: Run = { server, folder };
  remember(run);
  try {
    await prepare(server);
    run.valkey = await startValkey(join(folder, 'valkey'));
  } catch (error) {
    // Jest runs no teardown after a failed setup.
    await teardown();
    throw error;
  }
  process.env[TEST_SERVER_URL] = server.url();
}

async function startValkey(folder: string): Promise<ValkeyServer | undefined> {
  const reason = valkeyAvailability();
  // One that the caller's environment names is another's: specs flush what they are given.
  delete process.env[TEST_VALKEY_URL];
  if (reason === undefined) {
    const valkey = await ValkeyServer.start({ folder });
    process.env[TEST_VALKEY_URL] = valkey.url;
    return valkey;
  }
  if (process.env.CI === 'true') throw new Error(`the suite needs Valkey or Redis: ${reason}`);
  return undefined;
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
