import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { withClient } from '#libs/database';
import { waitFor } from '#test/environment';
import { preparedFolder } from '../stories/deployment.js';

/** A time limit in which the whole product can start twice. */
jest.setTimeout(900_000);

const START_TIMEOUT_MS = 280_000;
const page = (name: string) => readFileSync(`docs/operations/${name}.md`, 'utf8');

/** Returns the first value of a setting in the page's units and settings. @throws Error if it has none. */
function saysOf(name: string): string {
  const said = new RegExp(`^${name}=(.*)$`, 'm').exec(page('production'))?.[1];
  if (said === undefined) throw new Error(`the page has no ${name}=`);
  return said;
}

/** Runs the commands exactly as the pages print them, except for the folders. */
describe('production on one machine: a stop, a backup and a restore', () => {
  const root = mkdtempSync(join(tmpdir(), 'dds-production-'));
  const backups = join(root, 'backups');
  let data: string;
  let service: ChildProcess | undefined;

  const here = (text: string) =>
    text
      .replaceAll('/opt/domain-data-service', process.cwd())
      .replaceAll('/var/lib/domain-data/data', data)
      .replaceAll('/var/backups', backups);

  async function start(): Promise<Record<string, string | undefined>> {
    const settings = parseEnv(/```ini\n(BASE_URL=[\s\S]*?)```/.exec(page('production'))![1]);
    const ports = { API_PORT: '0', DASHBOARD_PORT: '0', METRICS_PORT: '0', OFFLINE: 'true' };
    const environment = parseEnv(here(saysOf('Environment')).replaceAll(' ', '\n'));
    const [program, ...given] = here(saysOf('ExecStart')).split(' ');
    const few = { OFFLINE_NAMES: '100' };
    service = spawn(program, given, {
      env: { ...process.env, ...settings, ...environment, ...ports, ...few },
      stdio: 'ignore',
    });
    const file = join(data, 'operator.env');
    const { pid } = service;
    await waitFor(
      'the start',
      () => existsSync(file) && readFileSync(file, 'utf8').includes(String(pid)),
      START_TIMEOUT_MS,
    );
    return parseEnv(readFileSync(file, 'utf8'));
  }

  /** Stops the service as `systemctl stop` does with `KillMode=mixed`. */
  async function stop(): Promise<void> {
    const ended = service && once(service, 'exit');
    service?.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    service = undefined;
  }

  afterAll(async () => {
    if (service) await stop();
    for (const folder of [root, data]) rmSync(folder ?? root, { recursive: true, force: true });
  });

  const ask = (url: string | undefined, sql: string) =>
    withClient(String(url), async (client) => (await client.query(sql)).rows);

  it('data survives a stop, a backup, the loss of the disk and a restore', async () => {
    mkdirSync(backups);
    data = await preparedFolder();
    const first = await start();
    await ask(first.DATABASE_ADMIN_URL, `create table public.kept as select 'once' as word`);
    await stop();
    const copy = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(page('production'))![1];
    execFileSync('/bin/sh', ['-c', here(copy.replaceAll('%%', '%').replaceAll('$$', '$'))]);
    const [backup] = readdirSync(backups);
    rmSync(data, { recursive: true });
    const [, restore] = /^(mkdir \.data && tar .*) && npm start$/m.exec(
      page('backup-and-restore'),
    )!;
    const command = restore
      .replaceAll('.data', data)
      .replace(/backup-[\d-]+\.tar\.gz/, join(backups, backup));
    execFileSync('/bin/sh', ['-c', command]);
    const restored = await start();
    const kept = await ask(restored.DATABASE_ADMIN_URL, 'select * from public.kept');
    expect(kept).toEqual([{ word: 'once' }]);
    const { status } = await fetch(`${restored.ACCOUNT_URL}/health`);
    expect(status).toBe(200);
    await stop();
  });
});
