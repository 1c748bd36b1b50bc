import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { request } from 'undici';
import { Logger, newId } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { GatewayHarness } from '../../../../test/stand-ins/gateway-harness.js';
import { streamedLine } from '#libs/contracts';
import { journalOf, readHolds, readRows, readWriters } from '../lease/journal-lines.js';
import { type LogEntry, LogLines, readLine } from './log-line.js';
import { MissingRows } from './missing-rows.js';
import { RequestLog } from './request-log.js';
import { RequestLogRepository } from './request-log.repository.js';

let database: TestDatabase;
let around: GatewayHarness;
let admin: pg.Client;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayHarness(database);
  await around.start();
  admin = new pg.Client(database.url());
  await admin.connect();
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await admin?.end();
  await around?.stop();
  await database?.drop();
});

async function forkGateway(journal: string): Promise<{ apiUrl: string; child: ChildProcess }> {
  const main = join(import.meta.dirname, '..', 'main.js');
  const child = fork(main, { env: around.environment(journal), stdio: 'pipe', execArgv: [] });
  children.add(child);
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr!.resume();
  const listening = () => /"apiUrl":"([^"]+)"/.exec(output)?.[1];
  return { apiUrl: await waitFor('the gateway to listen', listening, 300_000), child };
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  child.kill(signal);
  await once(child, 'exit');
  children.delete(child);
}

let asked = 0;

async function lookUp(apiUrl: string, apiKey: string): Promise<number> {
  const path = `/v2.0/whois/live?domainName=row${asked++}.example`;
  const { statusCode, body } = await request(apiUrl + path, { headers: { 'x-api-key': apiKey } });
  await body.dump();
  return statusCode;
}

async function loggedOf(accountId: string): Promise<string[]> {
  const { rows } = await admin.query<{ subject: string }>(
    'select subject from gateway.request_log where account_id = $1 and credits > 0 order by at, subject',
    [accountId],
  );
  return rows.map(({ subject }) => subject);
}

/** Locks the table while `work` runs, so that nothing can be logged; then closes the log's connections. */
async function withoutLog(work: () => Promise<void>): Promise<void> {
  await admin.query('begin');
  await admin.query('lock table gateway.request_log in access exclusive mode');
  try {
    await work();
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway request log' and datname = current_database()",
    );
  } finally {
    await admin.query('rollback');
  }
}

const HELD_BY = 4711;

/** Makes the server wait for the lock `HELD_BY` at each row of the log. */
async function holdBatches(): Promise<void> {
  await admin.query(`create function gateway.hold_batch() returns trigger language plpgsql as $$ begin
    if current_setting('application_name') = 'gateway request log' then
      perform pg_advisory_xact_lock_shared(${HELD_BY});
    end if;
    return new;
  end $$`);
  await admin.query(`create trigger hold_batch before insert on gateway.request_log
    for each row execute function gateway.hold_batch()`);
}

async function held(): Promise<number> {
  const { rows } = await admin.query<{ held: number }>(
    `select count(*)::int as held from pg_stat_activity where datname = current_database()
       and application_name = 'gateway request log' and state = 'active' and wait_event_type = 'Lock'`,
  );
  return rows[0].held;
}

const entryOf = (changes: Partial<LogEntry> = {}): LogEntry => ({
  atMs: Date.now(),
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
});

describe('request log rows', () => {
  it('kill -9: after the next start, each charged answer has one row, and the daily cap counts it', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ dailyCreditCap: 9 });
    const first = await forkGateway('rows');
    expect(await lookUp(first.apiUrl, apiKey)).toBe(200);
    await waitFor('the first row', async () => (await loggedOf(keyRecord.accountId)).length === 1);
    await withoutLog(async () => {
      for (let i = 0; i < 5; i++) expect(await lookUp(first.apiUrl, apiKey)).toBe(200);
      const path = join(around.folder, 'rows');
      await waitFor('the rows', () => readRows(readFileSync(path, 'utf8')).length >= 5);
      await end(first.child, 'SIGKILL');
    });
    expect(await loggedOf(keyRecord.accountId)).toHaveLength(1);
    const second = await forkGateway('rows');
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push(await lookUp(second.apiUrl, apiKey));
    expect(statuses).toEqual([200, 200, 200, 402, 402]);
    await end(second.child, 'SIGTERM');
    const subjects = await loggedOf(keyRecord.accountId);
    expect([subjects.length, new Set(subjects).size]).toEqual([9, 9]);
    expect(around.entitlement.charged(keyRecord.accountId)).toBe(9);
  });

  it('kill -9 while the server delays a batch: its rows exist once, and the killed gateway writes nothing more', async () => {
    const { apiKey, keyRecord } = around.account.addKey({});
    const first = await forkGateway('held');
    expect(await lookUp(first.apiUrl, apiKey)).toBe(200);
    await waitFor('the first row', async () => (await loggedOf(keyRecord.accountId)).length === 1);
    await holdBatches();
    await admin.query('select pg_advisory_lock($1)', [HELD_BY]);
    for (let i = 0; i < 3; i++) expect(await lookUp(first.apiUrl, apiKey)).toBe(200);
    const path = join(around.folder, 'held');
    await waitFor('the journal', () => readRows(readFileSync(path, 'utf8')).length >= 3);
    await waitFor('the server to hold the rows', async () => (await held()) > 0);
    await end(first.child, 'SIGKILL');
    const second = await forkGateway('held');
    expect(await lookUp(second.apiUrl, apiKey)).toBe(200);
    await admin.query('select pg_advisory_unlock($1)', [HELD_BY]);
    await waitFor('all rows', async () => (await loggedOf(keyRecord.accountId)).length >= 5);
    await waitFor('nothing to be held', async () => (await held()) === 0);
    await end(second.child, 'SIGTERM');
    const subjects = await loggedOf(keyRecord.accountId);
    expect([subjects.length, new Set(subjects).size]).toEqual([5, 5]);
    const { rows: writers } = await admin.query('select id from gateway.log_writers');
    expect(writers).toEqual([]);
    await admin.query('drop function gateway.hold_batch cascade');
  });

  it('kill -9 during a bulk request: the sent part is charged once and has one row; the other credits are returned', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk'] });
    const { accountId } = keyRecord;
    const { entitlement, lookup } = around;
    const credits = entitlement.available(accountId);
    const first = await forkGateway('bulk');
    lookup.respond = (_asked, response) => {
      response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
      for (const index of [0, 1, 2]) response.write(streamedLine('charged', `{"index":${index}}`));
    };
    const { body } = await request(`${first.apiUrl}/v2.0/bulkwhois/live`, {
      method: 'POST',
      headers: {
        'x-api-key': apiKey,
        'content-type': 'application/json',
        accept: 'application/x-ndjson',
      },
      body: JSON.stringify({ domainNames: ['a.example', 'b.example', 'c.example', 'd.example'] }),
    });
    body.on('error', () => {});
    const path = join(around.folder, 'bulk');
    const sent = () => readHolds(readFileSync(path, 'utf8'))[0]?.charged === 3;
    await waitFor('three lines to be sent', sent);
    expect(entitlement.openHolds(accountId)).toBe(1);
    await end(first.child, 'SIGKILL');

    lookup.respond = undefined;
    const second = await forkGateway('bulk');
    await waitFor('the hold to be closed', () => entitlement.openHolds(accountId) === 0);
    expect(entitlement.charged(accountId)).toBe(3);
    expect(entitlement.available(accountId)).toBe(credits - 3);
    await waitFor('its row', async () => (await loggedOf(accountId)).length === 1);
    const { rows } = await admin.query(
      'select outcome, credits, operation from gateway.request_log where account_id = $1',
      [accountId],
    );
    expect(rows).toEqual([{ outcome: 'broken_off', credits: 3, operation: 'whois.bulk' }]);
    await end(second.child, 'SIGTERM');
    // A third start finds no rows to write.
    expect(readHolds(readFileSync(path, 'utf8'))).toEqual([]);
  });

  it('missing rows that already exist or occur twice are written once, even next to a row that no partition accepts', async () => {
    const repository = new RequestLogRepository(await database.service('gateway'));
    const missing = new MissingRows(
      {
        insertMissing: async (entries) => repository.insertMissing(entries),
        endWriters: async (writerIds) => repository.endWriters(writerIds),
        makePartitions: async () => {},
      },
      new Logger('gateway', { write: () => {} }),
    );
    const accountId = newId();
    const lines = ['a', 'b\\c'].map((subject) =>
      new LogLines().of(entryOf({ accountId, subject })).trimEnd(),
    );
    const old = new LogLines().of(entryOf({ accountId, atMs: Date.UTC(2020) })).trimEnd();
    await missing.restore([old, lines[0], lines[0], 'damaged', ''], []);
    for (let count = 0; count < 2; count++) await missing.restore([...lines, old], []);
    expect((await loggedOf(accountId)).toSorted()).toEqual(['a', 'b\\c']);
  });

  it('the log lists charged rows that it has not written, and counts them once they are written', async () => {
    let isAway = true;
    const sink = {
      copy: async () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(true)),
      makePartitions: async () => {},
    };
    const log = new RequestLog(sink, new Logger('gateway', { write: () => {} }));
    const written: number[] = [];
    log.onWritten((count) => written.push(count));
    const subjects: string[] = [];
    for (let i = 0; i < 150; i++) {
      const credits = i % 3 === 0 ? 0 : 1;
      const subject = `bücher${i}.example`;
      log.add(entryOf({ subject, credits }));
      if (credits > 0) subjects.push(subject);
    }
    await log.flush();
    expect(log.unwrittenRows().map((row) => readLine(row)?.subject)).toEqual(subjects);
    expect(written).toEqual([]);
    isAway = false;
    await log.flush();
    expect([written, log.unwrittenRows()]).toEqual([[100], []]);
  });

  it('an undamaged line is read unchanged; a damaged line is rejected', () => {
    const entry = entryOf({ subject: 'bücher\\x.example' });
    const line = new LogLines().of(entry).trimEnd();
    expect(readLine(line)).toEqual(entry);
    const damages = [
      line.slice(0, -20),
      line.replace(entry.accountId, 'nobody'),
      line.replace('\t200\t', '\t99999\t'),
      line.replace(/^\d{4}-\d\d/, '2026-99'),
      `${line}\tmore`,
      line.replace('bücher', '\0'),
    ];
    expect(damages.map(readLine)).toEqual(damages.map(() => undefined));
  });

  it('the journal returns the rows that the log has not written, even after a rewrite', () => {
    const text =
      '+ 0 a b\n= 0 1\trow one\n= 0 2\trow two\n~ 1\n= 0 3\trow three\n= 0 4\n= 0 5\tcut';
    expect(readRows(text)).toEqual(['row two', 'row three']);
    expect(readRows('= - 0\trow two\n~ 1\n')).toEqual([]);
  });

  it('the journal returns the open holds, even after a rewrite', () => {
    const [accountId, other] = [newId(), newId()];
    const text = `* h0 req_a ${accountId}\trow\ta\n# h0 2\n= h0 5\n* h1 req_b ${other}\trow b\n= h1 4\trow b of its own\n* h2 req_c ${other}\trow c\n- h2\n# h0 x\n= h7 1\n* h8 req_d nobody\tx\n`;
    const holds = [
      { holdId: 'req_a', accountId, charged: 5, parts: [2], row: 'row\ta' },
      { holdId: 'req_b', accountId: other, charged: 4, parts: [], row: undefined },
    ];
    expect(readHolds(text)).toEqual(holds);
    const writerIds = [newId()];
    const compacted = journalOf({ uses: [], holds, rows: [], writerIds });
    expect(readHolds(compacted)).toEqual(holds);
    expect(readWriters(compacted)).toEqual(writerIds);
    expect(readRows(text)).toEqual(['row b of its own']);
  });
});
