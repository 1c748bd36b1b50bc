import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GatewayUnderTest, live } from '../../../../test/gateway/gateway-under-test.js';

const REFUSALS = 100;
let under: GatewayUnderTest;
const sockets: Socket[] = [];

beforeAll(async () => {
  under = await GatewayUnderTest.start();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await under?.stop();
});

function open(): Socket {
  const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
  sockets.push(socket);
  return socket;
}

async function ask(socket: Socket, path: string, line: string): Promise<string> {
  const closing = new AbortController();
  const close = () => closing.abort(new Error('closed without an answer'));
  socket.once('close', close);
  const answer = once(socket, 'data', { signal: closing.signal });
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n${line}\r\n`);
  const [text] = (await answer) as [Buffer];
  socket.off('close', close);
  return String(text);
}

it.each([
  ['our parser', ''],
  ['Node’s parser', 'te: trailers\r\n'],
])(
  'S126: a connection read by %s is closed after many 429 answers, and other connections are served',
  async (_, line) => {
    const { apiKey } = under.around.account.addKey();
    const { apiKey: others } = under.around.account.addKey();
    const socket = open();
    let beside: Socket | undefined;
    const refusals: string[] = [];
    while (refusals.length < REFUSALS) {
      const answer = await ask(socket, live(apiKey), line);
      if (answer.startsWith('HTTP/1.1 429 ')) refusals.push(answer);
      else expect(answer).toContain('200 OK');
      if (refusals.length === 5 && beside === undefined) {
        // The client connects only now, because a connection on which no request arrives in time is closed.
        beside = open();
        expect(await ask(beside, live(others), line)).toContain('200 OK');
      }
    }
    const last = refusals.pop()!;
    expect(last).toMatch(/\r\nConnection: close\r\n/i);
    expect(last).toContain('"code":"rate_limited"');
    for (const answer of refusals) expect(answer).not.toMatch(/\r\nConnection: close\r\n/i);
    if (!socket.closed) await once(socket, 'close');
    expect(await ask(open(), live(apiKey), line)).toMatch(/^HTTP\/1\.1 429 /);
    expect(await ask(beside!, live(others), line)).toContain('200 OK');
  },
);
