import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { AnswerBuffer } from './answer-buffer.js';

const SLOW_ANSWERS = 400;
const BODY_BYTES = 30_000;

it('the answer to a slow client stays unchanged while other clients get answers', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const client = connect(port, '127.0.0.1').pause();
    const [socket] = (await once(server, 'connection')) as [Socket];
    return { client, socket };
  };
  const [slow, quick] = [await open(), await open()];
  const answers = new AnswerBuffer();
  const send = (socket: Socket, n: number) => {
    const body = Buffer.alloc(BODY_BYTES, n % 251);
    answers.write(socket, `head ${n}\n`, { bytes: body, start: 0, end: BODY_BYTES }, `rest ${n}\n`);
    const head = Buffer.from(`head ${n}\n`);
    return Buffer.concat([head, body, Buffer.from(`rest ${n}\n`)]);
  };
  const expected: Buffer[] = [];
  for (let n = 0; n < SLOW_ANSWERS; n++) {
    expected.push(send(slow.socket, n));
    send(quick.socket, n + 1);
  }
  expect(slow.socket.writableLength).toBeGreaterThan(BODY_BYTES);
  slow.socket.end();
  const received: Buffer[] = [];
  for await (const chunk of slow.client) received.push(chunk as Buffer);
  expect(Buffer.concat(received).equals(Buffer.concat(expected))).toBe(true);
  for (const { client, socket } of [slow, quick]) {
    client.destroy();
    socket.destroy();
  }
  server.close();
});
