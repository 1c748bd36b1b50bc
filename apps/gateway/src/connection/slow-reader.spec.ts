import { type Server, type Socket, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MINUTE_MS } from '#libs/platform';
import { TestClock, waitFor } from '#test/environment';
import { RawClient } from '../../../../test/gateway/raw-client.js';
import { PlainConnections } from './plain-connections.js';

const LARGE = 'x'.repeat(16_000_000);
const HANDED_OVER_MS = 2 * MINUTE_MS;
const QUESTION = 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n';

let plain: PlainConnections;
let server: Server;
let client: RawClient;
let socket: Socket;

/** Opens a server that answers each request at once with more data than the operating system buffers. */
async function openServer(keepAliveTimeoutMs: number): Promise<void> {
  plain = new PlainConnections({
    clock: new TestClock('2026-03-02T09:30:00Z'),
    firstRequestTimeoutMs: MINUTE_MS,
    keepAliveTimeoutMs,
    take: (_request, reply) => {
      reply.sendWhole(200, '', LARGE);
      return true;
    },
    // Node's server sets this timeout on its sockets, too.
    handOver: (handedOver) => handedOver.setTimeout(HANDED_OVER_MS),
  });
  server = createServer((accepted) => plain.add((socket = accepted)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  client = await RawClient.open(`http://127.0.0.1:${port}`, { reads: false });
  client.send(QUESTION);
  await waitFor('an answer that has not been read yet', () => plain.isSending);
}

beforeEach(() => (client = socket = undefined!));
afterEach(async () => {
  plain.closeIdle();
  plain.closeAll();
  client.socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

describe('a client that reads its answer slowly', () => {
  it('the idle time is the socket’s timeout until the client has received the whole answer', async () => {
    await openServer(MINUTE_MS);
    // Node restarts this timer with each chunk that is sent.
    expect(socket.timeout).toBe(MINUTE_MS);
    client.read();
    await waitFor('the whole answer', () => client.text.length > LARGE.length);
    await waitFor('the timer to be off', () => socket.timeout === 0);
    expect([plain.isSending, socket.destroyed]).toEqual([false, false]);
  });

  it('once a connection has been handed over, only Node’s time limits apply, even after the client has read everything', async () => {
    await openServer(MINUTE_MS);
    client.send(QUESTION);
    await waitFor('the hand-over', () => socket.timeout === HANDED_OVER_MS);
    client.read();
    await waitFor('the whole answer', () => client.text.length > LARGE.length);
    await waitFor('nothing to be left', () => socket.writableLength === 0);
    expect(socket.timeout).toBe(HANDED_OVER_MS);
    socket.destroy();
  });

  it('S104: a client that receives nothing for the idle time is disconnected', async () => {
    await openServer(200);
    await waitFor('the end', () => socket.destroyed);
  });

  it('a slow reader gets the complete answer during a shutdown', async () => {
    await openServer(MINUTE_MS);
    plain.closeIdle();
    expect([plain.isSending, socket.destroyed]).toEqual([true, false]);
    client.read();
    await waitFor('everything to be sent', () => !plain.isSending);
    plain.closeAll();
    await waitFor('the end', () => client.isEnded);
    expect(client.text.length).toBeGreaterThan(LARGE.length);
  });
});
