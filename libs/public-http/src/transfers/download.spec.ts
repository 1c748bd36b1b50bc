import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Operation } from '#libs/contracts';
import { HOUR_MS, SECOND_MS, monotonicMs } from '#libs/platform';
import { Download } from './download.js';
import type { TransferCall } from './transfer.js';

const operation = {
  name: 'files.read',
  method: 'GET',
  routes: [],
  answers: [{ type: 'file', mediaTypes: ['text/csv'] }],
} as unknown as Operation;

it('earlier answers on the same connection give a reader no lead', async () => {
  const socket = { bytesWritten: 100 * 1024 ** 2, writableLength: 0, setTimeout: () => {} };
  const response = Object.assign(new EventEmitter(), {
    writableNeedDrain: true,
    writeHead: () => {},
    write: () => false,
    destroy: () => {},
  });
  const call = {
    operation,
    request: { socket, headers: {}, method: 'GET' },
    response,
    dispatcher: {
      request: async () => ({ statusCode: 200, headers: {}, body: Readable.from(['a']) }),
    },
    answerHeaders: [],
    answerTimeoutMs: HOUR_MS,
    idleTimeoutMs: HOUR_MS,
  };
  const download = new Download(call as unknown as TransferCall);
  let isOver = false;
  const end = download.run().finally(() => (isOver = true));
  while (response.listenerCount('drain') === 0) await setImmediate();
  const nowMs = monotonicMs();
  for (let second = 0; second <= 61; second++) download.look(nowMs + second * SECOND_MS);
  await setImmediate();
  expect(isOver).toBe(true);
  expect(await end).toEqual({ status: 200, isWhole: false });
});
