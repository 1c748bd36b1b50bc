import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { TestDatabase, waitFor } from '#test/environment';
import type { SoloFacts } from '../../apps/solo/src/announcement/solo-facts.js';
import { preparedFolder } from '../stories/deployment.js';
import { TOUCHED } from './touched-files.js';

const APPS = new URL('../../apps/', import.meta.url).pathname;
const { PATH, NODE_COMPILE_CACHE } = process.env;
const START_LIMIT_MS = 300_000;

const WITH_ARCHIVE = new URL('with-archive.js', import.meta.url).href;
const CONTRIBUTING = new URL('../../../CONTRIBUTING.md', import.meta.url);

/** Prints the page of settings, the services of the chart, and the settings in a cluster. */
const DERIVE = `
  const { CONFIGURED_APPS } = await import('${APPS}cli/src/declared.js');
  const { configurationPage } = await import('${APPS}cli/src/documents/configuration.js');
  const { chartServices } = await import('${APPS}cli/src/documents/chart-services.js');
  const { ServiceSettings } = await import('${APPS}cluster/src/service-settings.js');
  const { Secrets } = await import('${APPS}solo/src/data-folder/secrets.js');
  const { DataFolder } = await import('${APPS}solo/src/data-folder/data-folder.js');
  const { SERVICES } = await import('${APPS}services.js');
  const folder = new DataFolder(process.argv[1]);
  folder.create();
  const ports = { services: { archive: 4711 }, gateways: [{ api: 1, internal: 3 }], dashboard: 2 };
  const settings = new ServiceSettings({
    ports, folder, secrets: Secrets.load(folder), postgresUrl: 'postgres://x@127.0.0.1/x',
    brokers: '127.0.0.1:9092', reusePort: false, common: {}, services: SERVICES,
  });
  console.log(JSON.stringify({
    page: configurationPage(CONFIGURED_APPS),
    chart: JSON.parse(await chartServices(SERVICES)).services,
    own: settings.service(SERVICES.find(({ name }) => name === 'archive')),
    address: settings.operator().ARCHIVE_URL,
  }));`;

interface Derived {
  page: string;
  chart: Record<string, unknown>[];
  own: Record<string, string>;
  address: string;
}

describe('a service with an operation, added as CONTRIBUTING.md describes', () => {
  let folder: string;
  let own: TestDatabase;
  let solo: ChildProcess;
  let operator: NodeJS.Dict<string>;
  let known: Derived | undefined;

  const run = (args: string[], settings: NodeJS.Dict<string> = {}) =>
    execFileSync(process.execPath, ['--import', WITH_ARCHIVE, ...args], {
      env: { PATH, NODE_COMPILE_CACHE, ...settings },
      encoding: 'utf8',
      stdio: 'pipe',
      timeout: START_LIMIT_MS,
    });
  const cli = (args: string[], settings?: NodeJS.Dict<string>) =>
    run([`${APPS}cli/src/main.js`, ...args], settings);

  beforeAll(async () => {
    folder = await preparedFolder();
    own = await TestDatabase.create('template0');
    const program = `${APPS}solo/src/main.js`;
    solo = spawn(process.execPath, ['--import', WITH_ARCHIVE, program, '--offline'], {
      env: {
        PATH,
        NODE_COMPILE_CACHE,
        DATA_DIR: folder,
        OFFLINE_NAMES: '0',
        API_PORT: '0',
        DASHBOARD_PORT: '0',
        METRICS_PORT: '0',
        // The tests are not about load shedding, so a busy machine must not cause it.
        GATEWAY_LOOP_DELAY_MAX_MS: '60000',
        ARCHIVE_DATABASE_ADMIN_URL: own.url(),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let faults = '';
    solo.stderr?.on('data', (chunk: Buffer) => (faults += chunk.toString()));
    await waitFor(
      'solo to be up',
      () => existsSync(join(folder, 'operator.env')) || solo.exitCode !== null,
      START_LIMIT_MS,
    );
    if (solo.exitCode !== null) throw new Error(faults);
    operator = parseEnv(readFileSync(join(folder, 'operator.env'), 'utf8'));
  });

  afterAll(async () => {
    if (solo.exitCode === null) {
      const ended = once(solo, 'exit');
      solo.kill('SIGTERM');
      await ended;
    }
    await own.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const rowsOf = (sql: string, url = operator.ARCHIVE_DATABASE_URL!) =>
    withClient(url, async (client) => (await client.query(sql)).rows);

  it('requires changes by hand only to the listed shared files, at most six', () => {
    const [, section] = readFileSync(CONTRIBUTING, 'utf8').split('## Adding a service');
    const [table] = section.split('\n## ');
    const listed = [...table.matchAll(/^\| \d+ +\| `([^`]+)`/gm)].map(([, file]) => file);
    expect(listed.length).toBeLessThanOrEqual(6);
    expect(listed).toEqual(expect.arrayContaining(Object.keys(TOUCHED)));
  });

  it('answers its operation through the gateway, at the price in its row', async () => {
    const facts = JSON.parse(readFileSync(join(folder, 'solo.json'), 'utf8')) as SoloFacts;
    const ask = async (path: string) => {
      const headers = { 'x-api-key': facts.demo!.live_key };
      const answer = await fetch(`${facts.api_url}${path}`, { headers });
      const json = (await answer.json()) as Record<string, unknown>;
      return { cost: answer.headers.get('x-credits-cost'), link: answer.headers.get('link'), json };
    };
    const first = await ask('/v2.0/archive/records?domainName=example.com&mode=mini');
    const numbers = (first.json.records as { num: number }[]).map(({ num }) => num);
    expect([first.cost, numbers]).toEqual(['2', [1, 2, 3, 4]]);
    const [, next] = /^<(\S+)>/.exec(first.link!)!;
    expect((await ask(next)).json).toMatchObject({
      records: [{ num: 5 }, { num: 6 }, { num: 7 }],
      paging: { page: 2, has_next: false },
      coverage: { has_data: true },
    });
    const described = await ask('/openapi.json');
    expect(described.json.paths).toHaveProperty(['/v2.0/archive/records']);
  });

  it('runs in solo with its own schema, roles and secret, and receives the events that it consumes', async () => {
    const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as object;
    expect(secrets).toHaveProperty('ARCHIVE_SALT');
    // The account service's relay waits for this service: an event counts as sent only once it has been received here.
    await waitFor('the demo account', async () => (await rowsOf('select from heard')).length === 1);
  });

  it('has its tables and its extension in its separate database, and nothing in the shared database', async () => {
    const [place] = await rowsOf(
      `select current_database() as database, current_schema() as schema, levenshtein('a', 'b') as distance`,
    );
    expect(place).toEqual({ database: own.name, schema: 'archive', distance: 1 });
    const schemas = `select nspname from pg_namespace where nspname in ('archive', 'account')`;
    expect(await rowsOf(schemas, operator.DATABASE_ADMIN_URL)).toEqual([{ nspname: 'account' }]);
    expect(await rowsOf(schemas, own.url())).toEqual([{ nspname: 'archive' }]);
  });

  it('keeps its files in its own folder', () => {
    expect(readFileSync(join(folder, 'files/archive/started'), 'utf8')).toBe('yes');
  });

  it('has its job run by a process that holds the job’s lease', async () => {
    await waitFor('a run', async () => (await rowsOf('select from counted')).length > 0);
    const finished = () =>
      rowsOf('select job, epoch > 0 as was_leased from job_lease where last_run_at is not null');
    const runs = await waitFor('its end', async () => {
      const rows = await finished();
      return rows.length > 0 && rows;
    });
    expect(runs).toEqual([{ job: 'count', was_leased: true }]);
  });

  it('is included when operator commands provision, migrate and list events', () => {
    expect(cli(['provision'], operator)).toContain('archive');
    expect(cli(['migrate'], operator)).toContain('archive: up to date');
    const listed = cli(['events', 'list', '--consumer', 'archive'], operator);
    expect(listed).toBe('');
  });

  it('has its secrets created for a deployment', () => {
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

  /** Evaluates everything in one process, because loading the product takes more than a second. */
  const derived = () => {
    known ??= JSON.parse(
      run(['--input-type=module', '--eval', DERIVE, join(folder, 'cluster')]),
    ) as Derived;
    return known;
  };

  it('appears in the documents with its settings', () => {
    const { page } = derived();
    expect(page).toContain('| `ARCHIVE_PORT` | archive | `7999` |');
    expect(page).toMatch(/`ARCHIVE_URL` \| dashboard, gateway \|/);
    expect(page).toMatch(/`ARCHIVE_DATABASE_URL` \| archive, cli \|/);
    expect(page).toMatch(/`KAFKA_BROKERS` \| [^|]*archive/);
  });

  it('has pods in the chart, with the files of its secrets', () => {
    const [archive, gateway] = ['archive', 'gateway'].map((one) =>
      derived().chart.find(({ name }) => name === one),
    );
    expect(gateway!.calls).toContain('archive');
    expect(archive).toMatchObject({
      topic: 'archive.events',
      listeners: [{ port: 'ARCHIVE_PORT' }],
    });
    expect((archive!.secrets as { file: string }[]).map(({ file }) => file)).toEqual(
      expect.arrayContaining(['archive_service_secret', 'archive_database_url', 'archive_salt']),
    );
  });

  it('gets its declared settings in a cluster, and other services get its address', () => {
    const { own, address } = derived();
    expect(Object.keys(own).toSorted()).toEqual([
      'ARCHIVE_DATABASE_URL',
      'ARCHIVE_MAINTENANCE_DATABASE_URL',
      'ARCHIVE_PORT',
      'ARCHIVE_SALT',
      'FILES_LOCATION',
      'KAFKA_BROKERS',
      'KAFKA_TOPIC_REPLICATION',
      'SERVICE_SECRET',
    ]);
    expect(own.ARCHIVE_PORT).toBe('4711');
    expect(address).toBe('http://127.0.0.1:4711');
  });
});
