import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Server, type TLSSocket, createServer } from 'node:tls';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { HOUR_MS } from '#libs/platform';
import { CertificateAuthority } from '#libs/resolvers';
import { makeOwnFolder } from '#test/environment';
import { WebhookSender } from './webhook-sender.js';

const HOST = 'a.hooks.example';
const MIB = 1024 ** 2;
/** Longer than any test may take, so that the limit of a whole attempt ends none. */
const UNLIMITED_MS = HOUR_MS;
const { signal } = new AbortController();

let server: Server;
let sender: WebhookSender;
let answer: (socket: TLSSocket) => void;

beforeAll(async () => {
  const authority = new CertificateAuthority();
  const { keyPem: key, certificatePem: cert } = authority.certificateFor([HOST]);
  server = createServer({ key, cert }, (socket) => {
    socket.on('error', () => {}).once('data', () => answer(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const extraCaFile = join(makeOwnFolder('webhook-sender'), 'ca.pem');
  writeFileSync(extraCaFile, authority.certificatePem);
  const webhookExceptions = `${HOST}:443=127.0.0.1:${port}`;
  sender = new WebhookSender({ webhookExceptions, extraCaFile }, UNLIMITED_MS);
});
afterAll(async () => {
  await sender.close();
  server.close();
});

const send = (url = `https://${HOST}/`) => sender.send(url, { headers: {}, body: '{}', signal });

/** Sends text again and again, as fast as it is read, until the connection ends. */
function flood(socket: TLSSocket, text: string): void {
  const next = () => {
    if (!socket.destroyed) socket.write(text, next);
  };
  next();
}

it('S57: an internal address and a name that does not resolve fail with the same error', async () => {
  for (const url of ['https://127.0.0.1/', 'https://nobody.invalid/']) {
    expect([url, await send(url)]).toEqual([url, { fault: 'no_public_address' }]);
  }
});

it.each([
  ['informational answers', 'HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n'.repeat(1_000)],
  ['a reason phrase', `HTTP/1.1 200 ${'a'.repeat(16_384)}`],
])('S102: a receiver is disconnected if it sends %s without end', async (_, text) => {
  let socket: TLSSocket;
  answer = (one) => flood((socket = one), text);
  expect(await send()).toEqual({ fault: 'protocol_error' });
  expect(socket!.bytesWritten).toBeLessThan(32 * MIB);
});

it('an accepted event is delivered, however long the rest of the answer is', async () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunk = `4000\r\n${'a'.repeat(16_384)}\r\n`;
  for (const rest of [chunk, `1;a=${'a'.repeat(16_384)}`]) {
    answer = (socket) => socket.write(head, () => flood(socket, rest));
    expect(await send()).toEqual({ responseStatus: 200 });
  }
});

it('S102: an event is delivered once its receiver has answered, even if the answer never ends', async () => {
  const closed = Promise.withResolvers<void>();
  answer = (socket) => {
    socket.once('close', () => closed.resolve());
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n');
  };
  expect(await send()).toEqual({ responseStatus: 200 });
  await closed.promise;
});
