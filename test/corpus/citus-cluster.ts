import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  Database,
  EXTENSIONS_SCHEMA,
  distribute,
  migrate,
  ownerRole,
  provisionRoles,
  provisionSchemas,
  serviceRole,
  withClient,
} from '#libs/database';
import { corpus } from '../../apps/corpus/src/service.js';

/** The script that starts Citus. Its folder, beside the repository, contains a build for Debian's PostgreSQL 15. */
const SCRIPT = resolve('../shared/citus/start');
const PASSWORD = 'test-password';
/** Three on each worker. With the default of 32, tests are slow, because each statement is planned for each shard. */
const SHARDS = 6;
const run = promisify(execFile);

/** The oldest usable minor version of PostgreSQL 15; older ones lack symbols against which Citus was linked. */
const MINOR_MIN = 20;
const PROGRAMS = '/usr/lib/postgresql/15/bin';

export function citusMissing(): string | undefined {
  if (!existsSync(SCRIPT)) return `${SCRIPT} does not exist`;
  if (process.getuid?.() !== 0) return 'its script needs root';
  const version =
    spawnSync(`${PROGRAMS}/postgres`, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const minor = Number(/ 15\.([0-9]+)/.exec(version)?.[1] ?? 0);
  if (minor < MINOR_MIN) return `it needs Debian's PostgreSQL 15.${MINOR_MIN}`;
  return undefined;
}

/** Three Citus nodes on loopback with the schema of the corpus, distributed as an operator would distribute it. */
export class CitusCluster {
  private database?: Database;

  private constructor(
    private readonly folder: string,
    private readonly coordinatorUrl: string,
  ) {}

  static async start(): Promise<CitusCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'citus-'));
    const { stdout } = await run(SCRIPT, [folder, '2']);
    const cluster = new CitusCluster(folder, stdout.trim().split('\n').at(-1)!);
    try {
      await cluster.prepare();
      return cluster;
    } catch (error) {
      await cluster.drop();
      throw error;
    }
  }

  /** Returns the coordinator's URL for a role, by default for the superuser. */
  url(role?: string): string {
    const url = new URL(this.coordinatorUrl);
    if (!role) return url.toString();
    [url.username, url.password] = [role, PASSWORD];
    url.searchParams.set('options', `-csearch_path=corpus,${EXTENSIONS_SCHEMA}`);
    return url.toString();
  }

  async service(): Promise<Database> {
    this.database ??= await Database.open({
      url: this.url(serviceRole('corpus')),
      applicationName: 'test corpus',
    });
    return this.database;
  }

  async drop(): Promise<void> {
    await this.database?.close();
    await run(SCRIPT, ['--stop', this.folder]);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Kills the worker with this number, from 1, as a crash would. */
  async killWorker(number: number): Promise<void> {
    await this.control(number, '-m immediate stop');
  }

  /** Restarts a worker, and completes the transactions that were committed on only one node. */
  async startWorker(number: number): Promise<void> {
    await this.control(number, `-l '${this.folder}/node-${number}.log' start`);
    await withClient(this.url(), (client) =>
      client.query('select recover_prepared_transactions()'),
    );
  }

  private async control(number: number, what: string): Promise<void> {
    const command = `${PROGRAMS}/pg_ctl -D '${this.folder}/node-${number}' -w ${what}`;
    await run('su', ['postgres', '-s', '/bin/bash', '-c', `${command} > /dev/null`]);
  }

  private async prepare(): Promise<void> {
    const { rows: nodes } = await withClient(this.url(), (client) =>
      client.query<{ port: number }>('select nodeport as port from pg_dist_node'),
    );
    for (const { port } of nodes) {
      const url = new URL(this.coordinatorUrl);
      url.port = String(port);
      await withClient(url.toString(), async (client) => {
        // Before the nodes were connected, each created the extension in a different schema.
        await client.query('set citus.enable_ddl_propagation = off');
        await client.query(`create schema if not exists ${EXTENSIONS_SCHEMA}`);
        await client.query(`alter extension pg_trgm set schema ${EXTENSIONS_SCHEMA}`);
      });
    }
    const { extensions, migrations } = corpus;
    await provisionRoles(this.url(), ['corpus'], () => PASSWORD);
    await provisionSchemas(this.url(), [{ name: 'corpus', extensions }]);
    await withClient(this.url(), async (client) => {
      await client.query(`alter database postgres set citus.shard_count = ${SHARDS}`);
    });
    const owner = this.url(ownerRole('corpus'));
    await migrate(owner, migrations!, extensions);
    await distribute(owner, corpus.distribution!);
  }
}
