import { once } from 'node:events';
import { readdirSync, utimesSync } from 'node:fs';
import { type ClientRequest, request as open } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import type { Database } from '#libs/database';
import { ServiceTokens, SystemClock, newId } from '#libs/platform';
import { TestDatabase, makeOwnFolder, waitFor } from '#test/environment';
import { HARNESS_SECRET } from '../../../../test/stand-ins/harness-secret.js';
import { ServiceProcess } from '../../../cluster/src/processes/service-process.js';

const NOWHERE = 'http://127.0.0.1:1';
const PATH = '/internal/uploads';
const TEXT = 'killed-1.com\nkilled-2.com\n';
const HALF = 13;
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

describe('a worker killed during an upload', () => {
  const accountId = newId();
  const tokens = new ServiceTokens(HARNESS_SECRET, new SystemClock());
  const folder = makeOwnFolder('killed-uploads');
  const making = join(folder, 'worker', '.making');
  let test: TestDatabase;
  let database: Database;
  let worker: ServiceProcess;

  beforeAll(async () => {
    test = await TestDatabase.create();
    // The folder also contains incomplete database files.
    database = await test.service('worker');
    await database.query(
      `insert into work_turn (queue, paused_until) values ('file-builds', 'infinity')`,
    );
    worker = new ServiceProcess({
      name: 'worker',
      app: 'worker',
      logFile: join(folder, 'log'),
      settings: {
        SERVICE_SECRET: HARNESS_SECRET,
        WORKER_DATABASE_URL: test.url('worker'),
        WORKER_MAINTENANCE_DATABASE_URL: test.url('worker_maintenance'),
        FILES_LOCATION: folder,
        SMTP_URL: 'smtp://127.0.0.1:1',
        ACCOUNT_URL: NOWHERE,
        ENTITLEMENT_URL: NOWHERE,
        CORPUS_URL: NOWHERE,
        LOOKUP_URL: NOWHERE,
      },
    });
    await worker.start();
  });
  afterAll(async () => {
    await worker?.stop();
    await test?.drop();
  });

  const headersOf = (offset?: number) => ({
    authorization: `Bearer ${tokens.issue('gateway', 'worker')}`,
    'x-account-id': accountId,
    'tus-resumable': '1.0.0',
    ...(offset !== undefined && {
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
    }),
  });

  function sendHalf(url: string): ClientRequest {
    const headers = { ...headersOf(0), 'content-length': String(TEXT.length) };
    const sending = open(url, { method: 'PATCH', headers });
    sending.on('error', () => {});
    void once(sending, 'socket').then(() => sending.write(TEXT.slice(0, HALF)));
    return sending;
  }

  it('S84: a restarted worker deletes the partial file, and the client can send the file again', async () => {
    const begun = await request(`${worker.url}${PATH}`, {
      method: 'POST',
      headers: { ...headersOf(), 'upload-length': String(TEXT.length) },
    });
    await begun.body.dump();
    const path = String(begun.headers.location);
    const sending = sendHalf(`${worker.url}${path}`);
    await waitFor('the half', () => readdirSync(making).length === 1);
    worker.kill();
    await worker.untilEnded();
    sending.destroy();
    const [left] = readdirSync(making);
    // A newer file might still be being written by another process.
    utimesSync(join(making, left), LONG_AGO, LONG_AGO);
    await worker.start();
    expect(readdirSync(making)).toEqual([]);
    // The lock of the dead process ends now, so that nobody need wait for it.
    await database.query(`update upload_locks set locked_until = now() - interval '1 s'`);
    const offset = await waitFor('the lock of the dead process to end', async () => {
      const headers = headersOf();
      const state = await request(`${worker.url}${path}`, { method: 'HEAD', headers });
      await state.body.dump();
      return state.statusCode === 200 && state.headers['upload-offset'];
    });
    expect(offset).toBe('0');
    const headers = headersOf(0);
    const again = await request(`${worker.url}${path}`, { method: 'PATCH', headers, body: TEXT });
    await again.body.dump();
    expect(again.statusCode).toBe(204);
    const read = await waitFor('the names', async () => {
      const { body } = await request(`${worker.url}${path}`, { headers: headersOf() });
      const upload = (await body.json()) as { state: string };
      return upload.state === 'ready' && upload;
    });
    expect(read).toMatchObject({ counts: { lines: 2, unique: 2 } });
  });
});
