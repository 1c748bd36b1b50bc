import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, RollPartitionsJob, type Transaction } from '#libs/database';
import { DAY_MS, HOUR_MS, Logger, newId } from '#libs/platform';
import { TestClock, TestDatabase } from '#test/environment';
import { TcpProxy } from '../../../../test/faults/tcp-proxy.js';
import type { LogEntry } from './log-line.js';
import { RequestLog } from './request-log.js';
import { CountRefusalsJob } from './count-refusals.job.js';
import { EraseLogsJob } from './erase-logs.job.js';
import { LogMaintenanceRepository } from './log-maintenance.repository.js';
import { RequestLogCopy, RequestLogRepository } from './request-log.repository.js';
import { RollUpJob } from './roll-up.job.js';

let database: TestDatabase;
let service: Database;
let copy: RequestLogCopy;
let owner: Database;
let maintenance: LogMaintenanceRepository;
let job: RollUpJob;
const clock = new TestClock('2026-03-02T09:30:00Z');
const logger = new Logger('gateway', { write: () => {} });

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await database.service('gateway');
  owner = await database.maintenance('gateway');
  maintenance = new LogMaintenanceRepository(owner);
  job = new RollUpJob(maintenance, clock);
  await job.runOnce();
  copy = new RequestLogCopy(database.url('gateway'), async (days) =>
    maintenance.makePartitionsOf(days, clock.now()),
  );
});

afterAll(async () => {
  await copy?.close();
  await database?.drop();
});

function entry(changes: Partial<LogEntry> = {}): LogEntry {
  return {
    atMs: clock.now().getTime(),
    requestId: newId(),
    accountId: newId(),
    keyId: newId(),
    operation: 'whois.live',
    version: 2,
    subject: 'example.com',
    status: 200,
    outcome: 'delivered',
    credits: 1,
    durationMs: 12,
    ...changes,
  };
}

async function subjectsOf(accountId: string): Promise<unknown[]> {
  const rows = await service.query<{ subject: string }>(
    'select subject from request_log where account_id = $1 order by request_id',
    [accountId],
  );
  return rows.map(({ subject }) => subject);
}

const hoursOf = async (accountId: string) =>
  service.query(
    'select status, requests, credits from request_hours where account_id = $1 order by status',
    [accountId],
  );

describe('refusals', () => {
  it('S122: of 20,000 rejections of one key, at most 100 become rows, and all are counted', async () => {
    const refusals = new CountRefusalsJob(new RequestLogRepository(service), clock, logger);
    const log = new RequestLog(copy, logger);
    const [accountId, keyId] = [newId(), newId()];
    for (let i = 0; i < 20_000; i++) {
      const [status, outcome] = [429, 'rate_limited'];
      const version = (i % 2) + 1;
      const refused = entry({ accountId, keyId, version, status, outcome, credits: 0 });
      if (refusals.isRow(keyId)) log.add(refused);
      else refusals.count(refused);
      if (i === 10_000) await refusals.runOnce();
    }
    await refusals.end();
    await log.flush();
    const rows = await service.query<{ version: number; requests: number }>(
      'select version, requests from request_log where account_id = $1',
      [accountId],
    );
    expect(rows.length).toBeLessThanOrEqual(100);
    for (const each of [1, 2]) {
      const ofVersion = rows.filter(({ version }) => version === each);
      expect(ofVersion.reduce((sum, { requests }) => sum + requests, 0)).toBe(10_000);
    }
    await job.runOnce();
    expect(await hoursOf(accountId)).toEqual([{ status: 429, requests: '20000', credits: '0' }]);
  });
});

describe('the request log', () => {
  it('any subject is stored in one row: tabs and line breaks become spaces, and a long subject is cut to 255 characters', async () => {
    const log = new RequestLog(copy, logger);
    const accountId = newId();
    const subjects = [
      'a\tb',
      'a\nb',
      '\\N',
      '\\.',
      'ex\\tample',
      'bücher.example',
      'x'.repeat(300),
    ];
    for (const [place, subject] of subjects.entries()) {
      log.add(entry({ accountId, subject, requestId: `r${place}` }));
    }
    await log.flush();
    expect(await subjectsOf(accountId)).toEqual([
      'a b',
      'a b',
      '\\N',
      '\\.',
      'ex\\tample',
      'bücher.example',
      'x'.repeat(255),
    ]);
  });

  it('while the database is down, a limited number of rows is kept and written later; the others are counted', async () => {
    let isAway = true;
    const sink = {
      copy: async (lines: Buffer) => {
        if (isAway) throw new Error('away');
        return copy.copy(lines);
      },
      makePartitions: copy.makePartitions,
    };
    const log = new RequestLog(sink, logger, 10);
    const accountId = newId();
    for (let i = 0; i < 15; i++) log.add(entry({ accountId }));
    await log.flush();
    expect(log.dropped).toBe(5);
    isAway = false;
    await log.flush();
    expect(await subjectsOf(accountId)).toHaveLength(10);
  });

  it('rows that arrive during a write are written by the next COPY', async () => {
    const copied: number[] = [];
    const sink = {
      copy: async (lines: Buffer) => {
        copied.push(lines.toString().split('\n').length - 1);
        for (let i = 0; i < 100; i++) log.add(entry());
        return Promise.resolve(true);
      },
      makePartitions: copy.makePartitions,
    };
    const log = new RequestLog(sink, logger);
    log.add(entry());
    await log.flush();
    await log.flush();
    expect(copied).toEqual([1, 100]);
    expect(log.waiting).toBe(100);
  });

  it('a database that stops responding delays neither requests nor a shutdown', async () => {
    const proxy = await TcpProxy.before(database.url('gateway'));
    const distant = new RequestLogCopy(proxy.through(database.url('gateway')), copy.makePartitions);
    const log = new RequestLog(distant, logger);
    const accountId = newId();
    log.add(entry({ accountId }));
    await log.flush();
    proxy.stall();
    log.add(entry({ accountId }));
    await log.stop();
    expect(log.waiting).toBe(1);
    await proxy.heal();
    await log.flush();
    expect(log.waiting).toBe(0);
    proxy.stall();
    await distant.close();
    await proxy.stop();
    expect(await subjectsOf(accountId)).toHaveLength(2);
  });

  it('a shutdown also writes rows that arrive while it is writing', async () => {
    const copied: number[] = [];
    const sink = {
      copy: async (lines: Buffer) => {
        if (copied.push(lines.length) < 3) log.add(entry());
        return Promise.resolve(true);
      },
      makePartitions: copy.makePartitions,
    };
    const log = new RequestLog(sink, logger);
    log.add(entry());
    await log.stop();
    expect([copied.length, log.waiting]).toEqual([3, 0]);
  });

  it('a lost connection costs only one attempt', async () => {
    const log = new RequestLog(copy, logger);
    const accountId = newId();
    log.add(entry({ accountId }));
    await log.flush();
    // A role may terminate its own sessions.
    await service.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'gateway request log' and datname = current_database()`,
    );
    log.add(entry({ accountId }));
    await log.flush();
    await log.flush();
    expect(await subjectsOf(accountId)).toHaveLength(2);
  });

  it.each(['commit', 'last.example'])(
    'a batch that fails between "%s" and its answer is stored once, together with later rows',
    async (last) => {
      const proxy = await TcpProxy.before(database.url('gateway'));
      const distant = new RequestLogCopy(
        proxy.through(database.url('gateway')),
        copy.makePartitions,
      );
      const log = new RequestLog(distant, logger);
      const accountId = newId();
      const add = (subject: string) => log.add(entry({ accountId, subject }));
      add('first.example');
      await log.flush();
      for (const round of [1, 2]) {
        const struck = proxy.loseAnswerTo(last);
        add(`a${round}.example`);
        add(`last.example ${round}`);
        expect(await log.flush()).toBe(false);
        await struck;
        add(`after${round}.example`);
      }
      expect(await log.flush()).toBe(true);
      await distant.close();
      await proxy.stop();
      const rounds = [1, 2].flatMap((n) => [
        `a${n}.example`,
        `last.example ${n}`,
        `after${n}.example`,
      ]);
      expect((await subjectsOf(accountId)).toSorted()).toEqual(
        ['first.example', ...rounds].toSorted(),
      );
    },
  );

  it('a process that has been ended writes nothing more', async () => {
    const ended = new RequestLogCopy(database.url('gateway'), copy.makePartitions);
    const log = new RequestLog(ended, logger);
    const accountId = newId();
    log.add(entry({ accountId }));
    expect(await log.flush()).toBe(true);
    await new RequestLogRepository(service).endWriters([ended.writerId]);
    log.add(entry({ accountId }));
    expect(await log.flush()).toBe(false);
    await ended.close();
    expect(await subjectsOf(accountId)).toHaveLength(1);
  });

  it('hours are counted once, however often the job runs', async () => {
    const log = new RequestLog(copy, logger);
    const accountId = newId();
    log.add(entry({ accountId, credits: 1 }));
    log.add(entry({ accountId, credits: 1 }));
    log.add(entry({ accountId, status: 429, credits: 0, outcome: 'rate_limited' }));
    await log.flush();
    await job.runOnce();
    await job.runOnce();
    expect(await hoursOf(accountId)).toEqual([
      { status: 200, requests: '2', credits: '2' },
      { status: 429, requests: '1', credits: '0' },
    ]);
  });

  it('late rows and the rows of slow writers are counted once', async () => {
    const log = new RequestLog(copy, logger);
    const accountId = newId();
    const late = clock.now().getTime() - 50 * HOUR_MS;
    const insert = (transaction: Transaction) =>
      transaction.query(
        `insert into request_log values ($1, $2, $3, $3, 'whois.live', 2, 'a.example', 200, 'delivered', 1, 5)`,
        [new Date(late), newId(), accountId],
      );
    await maintenance.makePartitions(new Date(late));
    await owner.transaction(async (transaction) => {
      await insert(transaction);
      log.add(entry({ accountId, atMs: late }));
      await log.flush();
      await job.runOnce();
      await insert(transaction);
    });
    expect(await hoursOf(accountId)).toEqual([{ status: 200, requests: '1', credits: '1' }]);
    await Promise.all([job.runOnce(), job.runOnce(), job.runOnce()]);
    expect(await hoursOf(accountId)).toEqual([{ status: 200, requests: '3', credits: '3' }]);
  });

  it('the credits that a key used today are counted from the log', async () => {
    const log = new RequestLog(copy, logger);
    const keyId = newId();
    log.add(entry({ keyId, credits: 3 }));
    await log.flush();
    const repository = new RequestLogRepository(service);
    const today = new Date('2026-03-02T00:00:00Z');
    expect(await repository.sumCreditsOfKeys([keyId, newId()], today)).toEqual(
      new Map([[keyId, 3]]),
    );
  });

  it('an erasure deletes the rows of one account in batches, including rows that arrive later', async () => {
    const log = new RequestLog(copy, logger);
    const [gone, stays] = [newId(), newId()];
    for (let n = 0; n < 25; n++)
      log.add(entry({ accountId: gone, atMs: clock.now().getTime() - n }));
    log.add(entry({ accountId: stays }));
    await log.flush();
    await job.runOnce();
    expect(await maintenance.deleteRows(gone, 10)).toBe(10);
    const repository = new RequestLogRepository(service);
    await service.transaction(async (transaction) => repository.insertErasure(transaction, gone));
    const erasing = new EraseLogsJob(maintenance);
    await erasing.runOnce();
    expect(await subjectsOf(gone)).toEqual([]);
    expect(await hoursOf(gone)).toEqual([]);
    log.add(entry({ accountId: gone }));
    await log.flush();
    await owner.query(`update log_erasures set erased_at = erased_at - interval '2 hours'`);
    await erasing.runOnce();
    expect(await subjectsOf(gone)).toEqual([]);
    expect(await subjectsOf(stays)).toHaveLength(1);
  });

  it('after the clock has been changed, a partition is created, and rows that are too old are dropped', async () => {
    const log = new RequestLog(copy, logger);
    const accountId = newId();
    clock.advance(10 * 86_400_000);
    log.add(entry({ accountId }));
    await log.flush();
    expect(await subjectsOf(accountId)).toHaveLength(1);
    log.add(entry({ accountId, atMs: clock.now().getTime() - 120 * 86_400_000 }));
    await log.flush();
    expect(log.dropped).toBe(1);
    log.add(entry({ accountId }));
    await log.flush();
    expect(await subjectsOf(accountId)).toHaveLength(2);
  });

  it('after the database was unavailable for days, the rows of each of these days are written', async () => {
    const accountId = newId();
    const log = new RequestLog(copy, logger);
    clock.advance(30 * DAY_MS);
    for (const days of [9, 5, 0]) {
      const atMs = clock.now().getTime() - days * DAY_MS;
      log.add(entry({ accountId, atMs, subject: `${days}.example` }));
    }
    await log.flush();
    expect(await subjectsOf(accountId)).toHaveLength(3);
    expect(log.dropped).toBe(0);
  });

  it('a future partition has the index that operators need to find a request', async () => {
    const name = 'request_log_20380102';
    await maintenance.makePartitions(new Date('2038-01-01T12:00:00Z'));
    const [{ valid }] = await service.query<{ valid: number }>(
      `select count(*) filter (where x.indisvalid and pg_get_indexdef(x.indexrelid) ~ 'text_bloom_ops')::int
         as valid from pg_index x where x.indrelid = $1::regclass`,
      [name],
    );
    expect(valid).toBe(1);
  });

  it('partitions are created in advance, and those older than 90 days are dropped', async () => {
    clock.set('2026-08-05T09:30:00Z');
    await new RollPartitionsJob(owner, clock).runOnce();
    const partitions = await service.query<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'request_log'::regclass and c.relname < 'request_log_202610' order by 1`,
    );
    const names = partitions.map(({ name }) => name);
    expect(names[0] >= 'request_log_20260507').toBe(true);
    expect(names.slice(-4)).toEqual([
      'request_log_20260804',
      'request_log_20260805',
      'request_log_20260806',
      'request_log_20260807',
    ]);
  });
});
