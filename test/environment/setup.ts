import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedServer, withClient } from '#libs/database';
import { InstallationDatabases } from '#libs/services';
import { SERVICES } from '../../apps/services.js';
import {
  KAFKA_BROKERS,
  KafkaBroker,
  TEMPLATE_DATABASE,
  TEST_PASSWORD,
  TEST_SERVER_URL,
  VALKEY_URL,
  ValkeyServer,
  kafkaAvailability,
  valkeyAvailability,
} from './index.js';
import { makeRunFolder } from './run-folder.js';

interface Run {
  server?: EmbeddedServer;
  broker?: KafkaBroker;
  valkey?: ValkeyServer;
  folder: string;
}

/** The state that set-up and teardown share; the same process loads both. */
let current: Run | undefined;

/**
 * Starts what `setupPostgres` starts, and also Valkey and a Kafka broker if they can run on this machine; no broker if
 * the caller's environment names one.
 * @throws Error if a server fails to start; in CI, also if Valkey or the broker cannot run.
 */
export default async function setup(): Promise<void> {
  await prepareRun([async (run) => startPostgres(run), startBroker, startValkey]);
}

/** Starts the PostgreSQL server of the test run, and creates the migrated template that spec files clone. */
export async function setupPostgres(): Promise<void> {
  await prepareRun([async (run) => startPostgres(run)]);
}

/** Starts PostgreSQL like `setupPostgres`, but as a durable server with these settings, for measurements. */
export async function setupDurablePostgres(settings: Record<string, string> = {}): Promise<void> {
  await prepareRun([async (run) => startPostgres(run, settings)], { onDisk: true });
}

async function prepareRun(
  starts: ((run: Run) => Promise<void>)[],
  { onDisk } = { onDisk: false },
): Promise<void> {
  // Jest calls the set-up of each project that has specs to run, but one set-up serves all projects.
  const run: Run = (current ??= { folder: makeRunFolder({ onDisk }) });
  const started = await Promise.allSettled(starts.map(async (start) => start(run)));
  const failed = started.find(({ status }) => status === 'rejected');
  if (!failed) return;
  // Jest runs no teardown after a failed set-up.
  await teardown();
  throw (failed as PromiseRejectedResult).reason;
}

export async function teardown(): Promise<void> {
  const run = current;
  // Jest calls the teardown of each project, so only the first call does anything.
  current = undefined;
  await Promise.all([run?.valkey?.stop(), run?.broker?.stop(), run?.server?.stop()]);
  if (run) rmSync(run.folder, { recursive: true, force: true, maxRetries: 10 });
}

async function startPostgres(run: Run, measured?: Record<string, string>): Promise<void> {
  if (run.server) return;
  const { folder } = run;
  const settings = {
    // The server's Unix socket is beside its data. An answer over the socket takes two thirds as long as one over TCP.
    unix_socket_directories: '.',
    // The roles' passwords protect nothing here, and the usual 4,096 iterations would cost each connection a
    // millisecond.
    scram_iterations: '1',
    ...measured,
  };
  const durable = measured !== undefined;
  const server = await EmbeddedServer.start({ folder, password: TEST_PASSWORD, durable, settings });
  run.server = server;
  await prepare(server);
  const url = new URL(server.url());
  url.searchParams.set('host', join(server.folder, 'pgdata'));
  process.env[TEST_SERVER_URL] = url.toString();
}

/** Starts one broker that all specs share, each with its own prefix, unless the environment names one. */
async function startBroker(run: Run): Promise<void> {
  if (process.env[KAFKA_BROKERS]) return;
  const reason = kafkaAvailability();
  if (reason === undefined) {
    run.broker = await KafkaBroker.start({ folder: join(run.folder, 'kafka') });
    process.env[KAFKA_BROKERS] = run.broker.brokers.join(',');
  } else if (process.env.CI === 'true') {
    throw new Error(`the suite needs Kafka: ${reason}`);
  }
}

async function startValkey(run: Run): Promise<void> {
  const reason = valkeyAvailability();
  // A server in the caller's environment belongs to someone else, and specs would delete all its data.
  delete process.env[VALKEY_URL];
  if (reason === undefined) {
    run.valkey = await ValkeyServer.start({ folder: join(run.folder, 'valkey') });
    process.env[VALKEY_URL] = run.valkey.url;
  } else if (process.env.CI === 'true') {
    throw new Error(`the tests need Valkey or Redis: ${reason}`);
  }
}

async function prepare(server: EmbeddedServer): Promise<void> {
  await withClient(server.url(), async (client) => {
    await client.query(`create database ${TEMPLATE_DATABASE}`);
  });
  const databases = new InstallationDatabases({
    services: SERVICES,
    adminUrl: server.url(TEMPLATE_DATABASE),
    passwordOf: () => TEST_PASSWORD,
  });
  await databases.provision();
  await databases.migrateAtOnce();
}
