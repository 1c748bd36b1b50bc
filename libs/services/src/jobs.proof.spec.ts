import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, MaintenanceDatabase } from '#libs/database';
import { DAY_MS, type Job, Logger } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { startJobs } from './jobs.js';

const LIMIT_MS = 90_000;
const logger = new Logger('jobs', { write: () => {} });

/** Returns the source of a process that starts a daily run but never finishes it. */
const VICTIM = (url: string) => `
  import { Database } from '${new URL('../../database/src/index.js', import.meta.url).href}';
  import { Logger } from '${new URL('../../platform/src/index.js', import.meta.url).href}';
  import { startJobs } from '${new URL('./jobs.js', import.meta.url).href}';
  const database = await Database.open({ url: '${url}', applicationName: 'victim' });
  const job = { name: 'daily', runOnce: () => new Promise(() => console.log('at work')) };
  const app = { get: (type) => (type.name === 'MaintenanceDatabase' ? database : job) };
  startJobs({ app }, new Logger('victim'), [{ job: Object, everyMs: ${DAY_MS}, runs: 'installation' }]);`;

describe('a daily job whose process is killed', () => {
  let test: TestDatabase;
  let database: Database;
  let victim: ChildProcess;

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.maintenance('gateway');
    const code = VICTIM(test.url('gateway_maintenance'));
    victim = spawn(process.execPath, ['--input-type=module', '-e', code]);
  });
  afterAll(async () => {
    victim.kill('SIGKILL');
    await test.drop();
  });

  it('another process does the job within 90 s, once', async () => {
    await once(victim.stdout!, 'data');
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    let runs = 0;
    const daily: Job = { name: 'daily', runOnce: async () => void runs++ };
    const get = (type: unknown) => (type === MaintenanceDatabase ? database : daily);
    const jobs = startJobs({ app: { get } as never }, logger, [
      { job: Object as never, everyMs: DAY_MS, runs: 'installation' },
    ]);
    try {
      await waitFor("the successor's run", () => runs === 1, LIMIT_MS);
    } finally {
      await jobs.stop();
    }
    const [row] = await database.query<{ epoch: string }>(`select epoch from job_lease`);
    expect([row.epoch, runs]).toEqual(['2', 1]);
  });
});
