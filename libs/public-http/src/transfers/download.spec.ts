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

/** Starts a download whose client does not read, and waits for its first byte. */
async function begin(socket: { bytesWritten: number }) {
  const response = Object.assign(new EventEmitter(), {
    writableNeedDrain: true,
    writeHead: () => {},
    write: () => false,
    destroy: () => {},
  });
  const call = {
    operation,
    request: {
      socket: Object.assign(socket, { writableLength: 0, setTimeout: () => {} }),
      headers: {},
      method: 'GET',
    },
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
  const isOverNow = async () => (await setImmediate(), isOver);
  return { download, end, isOverNow };
}

it('earlier answers on the same connection give a reader no lead', async () => {
  const { download, end, isOverNow } = await begin({ bytesWritten: 100 * 1024 ** 2 });
  const nowMs = monotonicMs();
  for (let second = 0; second <= 61; second++) download.look(nowMs + second * SECOND_MS);
  expect(await isOverNow()).toBe(true);
  expect(await end).toEqual({ status: 200, isWhole: false });
});

it('S77: a download ends after twelve hours, so that one that continues is checked again', async () => {
  const socket = { bytesWritten: 0 };
  const { download, end, isOverNow } = await begin(socket);
  const nowMs = monotonicMs();
  for (let hour = 0; hour <= 12; hour++) {
    expect(await isOverNow()).toBe(false);
    socket.bytesWritten += 1024 ** 3;
    download.look(nowMs + hour * HOUR_MS);
  }
  expect(await isOverNow()).toBe(true);
  expect(await end).toEqual({ status: 200, isWhole: false });
});
