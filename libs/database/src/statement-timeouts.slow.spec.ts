import { Controller, Get, Module } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Database } from '#libs/database';
import {
  AllowCallers,
  DatabaseUnavailable,
  Logger,
  type RunningService,
  ServiceModule,
  ServiceTokens,
  SystemClock,
  startService,
} from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { TcpProxy } from '../../../test/faults/tcp-proxy.js';

const FLOOD = 30;
const serviceSecret = 'a-service-secret';
const clock = new SystemClock();
let log = '';
const logger = new Logger('demo', { write: (line: string) => void (log += line) });
let test: TestDatabase;
let database: Database;
let service: RunningService;

@Controller('/internal')
class SlowController {
  @Get('/slow')
  @AllowCallers('gateway')
  slow() {
    return database.query('select pg_sleep(3600)');
  }

  @Get('/slow-too')
  @AllowCallers('gateway')
  slowToo() {
    return database.transaction((transaction) => transaction.query('select pg_sleep(3600)'));
  }

  @Get('/wrong')
  @AllowCallers('gateway')
  wrong() {
    return database.query('select nothing');
  }
}

@Module({
  imports: [ServiceModule.register({ name: 'account', clock, logger, secret: { serviceSecret } })],
  controllers: [SlowController],
})
class SlowModule {}

beforeAll(async () => {
  test = await TestDatabase.create();
  database = await Database.open({
    url: test.url('gateway'),
    applicationName: 'slow',
    statementTimeoutMs: 20,
  });
  service = await startService({ module: SlowModule, logger, port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await service.stop();
  await database.close();
  await test.drop();
});

async function ask(path: string): Promise<number> {
  const token = new ServiceTokens(serviceSecret, clock).issue('gateway', 'account');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.url}/internal/${path}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

it('each route logs one line about a flood of statements that the server cancels, and one line about each other failure', async () => {
  log = '';
  const paths = ['slow', 'slow-too'].flatMap((path) => Array<string>(FLOOD).fill(path));
  expect(new Set(await Promise.all(paths.map(ask)))).toEqual(new Set([500]));
  const lines = log.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg).toSorted()).toEqual([
    'GET /internal/slow failed',
    'GET /internal/slow-too failed',
  ]);
  expect(lines[0]).toContain('canceling statement due to statement timeout');
  log = '';
  expect([await ask('wrong'), await ask('wrong')]).toEqual([500, 500]);
  expect(log.trim().split('\n')).toHaveLength(2);
});

/** Replaces this delay of timers with a shorter one until the returned function is called. */
function shorten(delayMs: number, shortMs: number): () => void {
  const { setTimeout } = globalThis;
  const replaced = (work: () => void, ms = 0) => setTimeout(work, ms === delayMs ? shortMs : ms);
  globalThis.setTimeout = replaced as typeof setTimeout;
  return () => void (globalThis.setTimeout = setTimeout);
}

const openOne = (applicationName: string, url = test.url('gateway'), answerTimeoutMs?: number) =>
  Database.open({ url, applicationName, poolSize: 1, answerTimeoutMs });

it.each([
  ['its own limit', 1_000],
  ['fifteen seconds more than the limit of a statement', undefined],
])(
  'a connection without answers for %s is closed, so that the next statement is answered on a new connection',
  async (_, answerTimeoutMs) => {
    const restore = shorten(30_000, 1_000);
    const proxy = await TcpProxy.before(test.url('gateway'));
    const pool = await openOne('silent', proxy.through(test.url('gateway')), answerTimeoutMs);
    try {
      await waitFor('a first answer', () => pool.query('select 1').catch(() => undefined));
      proxy.lose('to-server');
      await expect(pool.query('select 2')).rejects.toThrow(DatabaseUnavailable);
      // The packets are lost permanently, so the old connection would never answer.
      await proxy.heal();
      const answered = async () => pool.query('select 3 as number').catch(() => undefined);
      expect(await waitFor('an answer', answered)).toEqual([{ number: 3 }]);
    } finally {
      restore();
      await proxy.stop();
      await pool.close();
    }
  },
);

it('a pool is opened although its first connection times out', async () => {
  const proxy = await TcpProxy.before(test.url('gateway'));
  proxy.stall();
  const opening = Database.open({
    url: proxy.through(test.url('gateway')),
    applicationName: 'late',
    connectTimeoutMs: 3_000,
  });
  try {
    await Promise.race([opening, waitFor('the second try', () => proxy.accepted === 2)]);
    await proxy.heal();
    expect(await (await opening).query('select 1 as number')).toEqual([{ number: 1 }]);
  } finally {
    await proxy.stop();
    await opening.then(
      (pool) => pool.close(),
      () => undefined,
    );
  }
});

/** Records the time limits of answers, in milliseconds, and keeps those that have not ended. */
function watchLimits() {
  const { setTimeout, clearTimeout } = globalThis;
  const set: number[] = [];
  const open = new Set<unknown>();
  globalThis.setTimeout = ((work: () => void, ms = 0) => {
    const timer = setTimeout(work, ms);
    if (ms < 15_000) return timer;
    set.push(ms);
    open.add(timer);
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    open.delete(timer);
    clearTimeout(timer);
  };
  return { set, open, restore: () => Object.assign(globalThis, { setTimeout, clearTimeout }) };
}

it('a transaction with a longer limit also waits longer for answers, later statements do not, and no limit outlives its statement', async () => {
  const pool = await openOne('patient');
  const limits = watchLimits();
  try {
    await pool.transaction(async (transaction) => {
      await transaction.limitStatements(60_000);
      limits.set.length = 0;
      await transaction.query('select 1');
      expect(limits.set.splice(0)).toEqual([75_000]);
      await transaction.limitStatements(20);
    });
    limits.set.length = 0;
    await pool.query('select 1');
    expect(limits.set.splice(0)).toEqual([30_000]);
    await pool.transaction(async (transaction) => {
      for await (const _ of transaction.copyOut('copy (select 1) to stdout'));
    });
    expect([...limits.open]).toEqual([]);
  } finally {
    limits.restore();
    await pool.close();
  }
});

it('a connection to a server that has become a standby is closed, so that the next statement reaches the new primary', async () => {
  const pool = await openOne('demoted');
  const write = () => pool.query('delete from log_writers');
  try {
    await pool.query('set session characteristics as transaction read only');
    await expect(write()).rejects.toThrow(DatabaseUnavailable);
    await write();
  } finally {
    await pool.close();
  }
});
