import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { waitFor } from '#test/environment';

const REGISTRY = new URL('registry-with-archive.js', import.meta.url).href;
const APPS = new URL('../../apps/', import.meta.url).pathname;
const START_LIMIT_MS = 300_000;

/** Adds the line to the registry of a process: everything else it runs is the product's. */
const WITH_ARCHIVE = `data:text/javascript,
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const isRegistry = found.url.endsWith('/dist/apps/services.js');
      return isRegistry && context.parentURL !== '${REGISTRY}' ? { ...found, url: '${REGISTRY}' } : found;
    },
  });`;

describe('a service that one line adds to the registry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dds-new-service-'));
  const data = join(folder, 'data');
  let solo: ChildProcess;
  let operator: NodeJS.Dict<string>;

  const run = (args: string[], settings: NodeJS.Dict<string> = {}) =>
    execFileSync(process.execPath, ['--import', WITH_ARCHIVE, ...args], {
      env: { PATH: process.env.PATH, ...settings },
      encoding: 'utf8',
      stdio: 'pipe',
      timeout: START_LIMIT_MS,
    });
  const cli = (args: string[], settings?: NodeJS.Dict<string>) =>
    run([`${APPS}cli/src/main.js`, ...args], settings);
  const evaluate = (script: string) => run(['--input-type=module', '--eval', script]);

  beforeAll(async () => {
    const program = `${APPS}solo/src/main.js`;
    solo = spawn(process.execPath, ['--import', WITH_ARCHIVE, program, '--offline'], {
      env: {
        PATH: process.env.PATH,
        DATA_DIR: data,
        API_PORT: '0',
        DASHBOARD_PORT: '0',
        METRICS_PORT: '0',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let faults = '';
    solo.stderr?.on('data', (chunk: Buffer) => (faults += chunk.toString()));
    await waitFor(
      'solo to be up',
      () => existsSync(join(data, 'operator.env')) || solo.exitCode !== null,
      START_LIMIT_MS,
    );
    if (solo.exitCode !== null) throw new Error(faults);
    operator = parseEnv(readFileSync(join(data, 'operator.env'), 'utf8'));
  });

  afterAll(async () => {
    if (solo.exitCode === null) {
      const ended = once(solo, 'exit');
      solo.kill('SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const rowsOf = (sql: string) =>
    withClient(operator.ARCHIVE_DATABASE_URL!, async (client) => (await client.query(sql)).rows);

  it('runs in solo with a schema, roles and a secret of its own, and hears what it consumes', async () => {
    const secrets = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as object;
    expect(secrets).toHaveProperty('ARCHIVE_SALT');
    // The relay of account waits for it: what it consumes is sent when it has it.
    await waitFor('the demo account', async () => (await rowsOf('select from heard')).length === 1);
  });

  it('has its job done by the process that holds the lease', async () => {
    await waitFor('a run', async () => (await rowsOf('select from counted')).length > 0);
    const leases = await rowsOf('select job, lease_until > now() as is_held from job_lease');
    expect(leases).toEqual([{ job: 'count', is_held: true }]);
  });

  it('is among those the operator’s commands provision, migrate and list events of', () => {
    expect(cli(['provision'], operator)).toContain('archive');
    expect(cli(['migrate'], operator)).toContain('archive: up to date');
    const listed = cli(['events', 'list', '--consumer', 'archive'], operator);
    expect(listed).toBe('');
  });

  it('has its secrets made for a deployment', () => {
    cli(['secrets', join(folder, 'secrets'), '--smtp-url', 'smtp://x:25']);
    const files = readdirSync(join(folder, 'secrets'));
    expect(files).toEqual(
      expect.arrayContaining([
        'archive_salt',
        'archive_database_url',
        'archive_maintenance_database_url',
      ]),
    );
  });

  it('stands in the documents with its settings', () => {
    const script = `
      const { CONFIGURED_APPS } = await import('${APPS}cli/src/declared.js');
      const { configurationPage } = await import('${APPS}cli/src/documents/configuration.js');
      console.log(configurationPage(CONFIGURED_APPS));`;
    const page = evaluate(script);
    expect(page).toContain('| `ARCHIVE_PORT` | archive | `7999` |');
    expect(page).toMatch(/`ARCHIVE_DATABASE_URL` \| archive, cli \|/);
    expect(page).toMatch(/`KAFKA_BROKERS` \| [^|]*archive/);
  });

  it('has its pods in the chart, with the files of its secrets', () => {
    const script = `
      const { SERVICES } = await import('${APPS}services.js');
      const { chartServices } = await import('${APPS}cli/src/documents/chart-services.js');
      const { services } = JSON.parse(chartServices(SERVICES));
      console.log(JSON.stringify(services.find(({ name }) => name === 'archive')));`;
    const archive = JSON.parse(evaluate(script)) as { secrets: { file: string }[] };
    expect(archive).toMatchObject({
      topic: 'archive.events',
      listeners: [{ port: 'ARCHIVE_PORT' }],
    });
    expect(archive.secrets.map(({ file }) => file)).toEqual(
      expect.arrayContaining(['archive_service_secret', 'archive_database_url', 'archive_salt']),
    );
  });

  it('is told in a cluster what it declares, and others its address', () => {
    const script = `
      const { ServiceSettings } = await import('${APPS}cluster/src/service-settings.js');
      const { Secrets } = await import('${APPS}solo/src/data-folder/secrets.js');
      const { DataFolder } = await import('${APPS}solo/src/data-folder/data-folder.js');
      const { SERVICES } = await import('${APPS}services.js');
      const folder = new DataFolder('${join(folder, 'cluster')}');
      folder.create();
      const ports = { services: { archive: 4711 }, gateways: [{ api: 1, dashboard: 2, internal: 3 }] };
      const settings = new ServiceSettings({
        ports, folder, secrets: Secrets.load(folder), postgresUrl: 'postgres://x@127.0.0.1/x',
        brokers: '127.0.0.1:9092', reusePort: false, common: {}, services: SERVICES,
      });
      const archive = SERVICES.find(({ name }) => name === 'archive');
      console.log(JSON.stringify([settings.service(archive), settings.operator().ARCHIVE_URL]));`;
    const [own, address] = JSON.parse(evaluate(script)) as [Record<string, string>, string];
    expect(Object.keys(own).toSorted()).toEqual([
      'ARCHIVE_DATABASE_URL',
      'ARCHIVE_MAINTENANCE_DATABASE_URL',
      'ARCHIVE_PORT',
      'ARCHIVE_SALT',
      'KAFKA_BROKERS',
      'KAFKA_TOPIC_REPLICATION',
      'SERVICE_SECRET',
    ]);
    expect(own.ARCHIVE_PORT).toBe('4711');
    expect(address).toBe('http://127.0.0.1:4711');
  });
});
