import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '#libs/database';
import { DAY_MS, Logger, newId } from '#libs/platform';
import { TestClock, TestDatabase } from '#test/environment';
import { EraseLogsJob } from './erase-logs.job.js';
import type { LogEntry } from './log-line.js';
import { LogMaintenanceRepository } from './log-maintenance.repository.js';
import { RequestLog } from './request-log.js';
import { RequestLogCopy, RequestLogRepository } from './request-log.repository.js';

const clock = new TestClock('2026-03-02T09:30:00Z');
const logger = new Logger('gateway', { write: () => {} });
let database: TestDatabase;
let service: Database;
let owner: Database;
let maintenance: LogMaintenanceRepository;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await database.service('gateway');
  owner = await database.maintenance('gateway');
  maintenance = new LogMaintenanceRepository(owner);
});
afterAll(() => database.drop());

const entryOf = (accountId: string): LogEntry => ({
  atMs: clock.now().getTime(),
  requestId: newId(),
  accountId,
  keyId: newId(),
  operation: 'whois.live',
  version: 2,
  subject: 'example.com',
  status: 200,
  outcome: 'delivered',
  credits: 1,
  durationMs: 12,
});

const openCopy = () =>
  new RequestLogCopy(database.url('gateway'), async (days) =>
    maintenance.makePartitionsOf(days, clock.now()),
  );

async function rowsOf(accountId: string): Promise<number> {
  const sql = 'select from request_log where account_id = $1';
  return (await service.query(sql, [accountId])).length;
}

describe('a process whose row the database has lost', () => {
  const accountId = newId();
  let copy: RequestLogCopy;
  let log: RequestLog;

  const lose = () => owner.query('delete from log_writers where id = $1', [copy.writerId]);
  beforeAll(async () => {
    copy = openCopy();
    log = new RequestLog(copy, logger);
    log.add(entryOf(accountId));
    expect(await log.flush()).toBe(true);
  });
  afterAll(() => copy.close());

  it('continues to write the log, each line once, while the journal is its own', async () => {
    copy.isJournalOwn = () => true;
    for (let round = 2; round <= 3; round++) {
      await lose();
      log.add(entryOf(accountId));
      expect([await log.flush(), await log.flush()]).toEqual([false, true]);
      expect(await rowsOf(accountId)).toBe(round);
    }
  });

  it('writes nothing more if a later process opens the journal while the row is written again', async () => {
    await lose();
    const isOwn = jest.spyOn(copy, 'isJournalOwn').mockReturnValueOnce(true);
    isOwn.mockReturnValue(false);
    log.add(entryOf(accountId));
    for (let attempt = 0; attempt < 3; attempt++) expect(await log.flush()).toBe(false);
    expect(await rowsOf(accountId)).toBe(3);
    expect(await owner.query('select from log_writers')).toEqual([]);
  });
});

describe('an erasure', () => {
  it('that fails stops no other one, and is not forgotten, however long it fails', async () => {
    const [stuck, other] = [newId(), newId()];
    const copy = openCopy();
    const log = new RequestLog(copy, logger);
    for (const accountId of [stuck, other]) log.add(entryOf(accountId));
    await log.flush();
    await copy.close();
    const repository = new RequestLogRepository(service);
    for (const accountId of [stuck, other]) {
      await service.transaction((transaction) => repository.insertErasure(transaction, accountId));
    }
    const ended = jest.spyOn(maintenance, 'finishErasure');
    ended.mockRejectedValueOnce(new Error('a statement was ended'));
    await expect(new EraseLogsJob(maintenance).runOnce()).rejects.toThrow('1 of 2 failed');
    expect([await rowsOf(stuck), await rowsOf(other)]).toEqual([0, 0]);
    await owner.query(`update log_erasures set asked_at = asked_at - interval '8 days'`);
    await maintenance.deleteErasures(7 * DAY_MS);
    expect(await maintenance.listErasures()).toEqual([stuck]);
  });
});
