import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool, request } from 'undici';
import { PassThrough, Readable } from 'node:stream';
import { type Operation, tusVerbs } from '#libs/contracts';
import { HOUR_MS, SECOND_MS, monotonicMs } from '#libs/platform';
import { waitFor } from '#test/environment';
import { SHORT_PIECES_MAX } from '../body-pieces.js';
import { FLOOR_BYTES_A_SECOND } from './reading-floor.js';
import { type TransferEnd, TransferRefusal } from './transfer.js';
import { Upload } from './upload.js';

const verbs = tusVerbs({
  service: 'worker',
  path: '/v2.0/uploads',
  ownerPath: '/internal/uploads',
  access: { kind: 'key', scope: 'bulk', class: 'account' },
  limitBytes: 1024 ** 3,
  extensions: ['creation'],
});
const ROW = {
  ...verbs.append,
  name: 'uploads.append',
  summary: 'Next bytes',
  problems: [],
} as Operation;
const TYPE = { 'content-type': 'application/offset+octet-stream' };

let owner: Server;
let proxy: Server;
let dispatcher: Pool;
let receivedBytes: number;
let upload: Upload | undefined;
let ended: TransferEnd | TransferRefusal | undefined;

beforeEach(async () => {
  receivedBytes = 0;
  upload = ended = undefined;
  owner = createServer((received, answer) => {
    received.on('data', (chunk: Buffer) => (receivedBytes += chunk.length));
    received.on('end', () => answer.writeHead(204).end());
    received.on('error', () => {});
  });
  dispatcher = new Pool(await originOf(owner));
  proxy = createServer((asked, response) => void pass(asked, response));
});
afterEach(async () => {
  await dispatcher.destroy();
  for (const server of [owner, proxy]) {
    server.closeAllConnections();
    server.close();
  }
});

async function originOf(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function pass(asked: IncomingMessage, response: ServerResponse): Promise<void> {
  upload = new Upload({
    operation: ROW,
    publicPath: '/v2.0/uploads/1',
    request: asked,
    response,
    dispatcher,
    path: '/internal/uploads/1',
    headers: {},
    answerHeaders: [],
    invite: () => {},
    answerTimeoutMs: HOUR_MS,
    // Long, so that only the minimum rate can end an upload.
    idleTimeoutMs: HOUR_MS,
  });
  ended = await upload.run();
  if (ended instanceof TransferRefusal) response.writeHead(ended.problem.status).end();
}

/**
 * Sends this many bytes in each second for two minutes, or until the upload ends.
 * @returns the status of the answer, and how many bytes the owner received.
 */
async function sendEachSecond(bytes: number) {
  const body = new PassThrough();
  const answer = request(await originOf(proxy), { method: 'PATCH', headers: TYPE, body });
  const beganMs = monotonicMs();
  for (let second = 1; second <= 120 && !ended; second++) {
    body.write(Buffer.alloc(bytes));
    await waitFor('the bytes', () => ended !== undefined || receivedBytes === second * bytes);
    upload!.look(beganMs + second * SECOND_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  body.end();
  const { statusCode } = await answer;
  return { status: statusCode, receivedBytes };
}

describe('a sender', () => {
  it('S104: a sender that is very slow but never stops keeps its place for about a minute', async () => {
    const { status, receivedBytes: bytes } = await sendEachSecond(1);
    expect([status, bytes < 70]).toEqual([408, true]);
  });

  it('a sender of thousands of short chunks is refused, because each costs far more than its bytes', async () => {
    const pieces = Array.from({ length: SHORT_PIECES_MAX + 20 }, () => Buffer.from('a'));
    const body = Readable.from(pieces);
    const answer = await request(await originOf(proxy), { method: 'PATCH', headers: TYPE, body });
    expect(answer.statusCode).toBe(400);
  });

  it('a sender at the minimum rate can send its whole body', async () => {
    const sent = await sendEachSecond(FLOOR_BYTES_A_SECOND);
    expect(sent).toEqual({ status: 204, receivedBytes: 120 * FLOOR_BYTES_A_SECOND });
  });
});
