import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { InternalTls, Logger } from '#libs/platform';
import { OwnAuthority, waitFor } from '#test/environment';
import { readAnswerHeaders } from './answer-headers.js';
import { type OwnerAnswer, bodyOf } from '../context/owner-answer.js';
import type { LookupCall } from '../context/lookup-call.js';
import type { LookupConnection } from './lookup-connection.js';
import { LookupPool, type LookupPoolOptions } from './lookup-pool.js';
import { AnswerLate, BrokenAnswer, ConnectionEnded } from './lookup.errors.js';

class ByteServer {
  readonly sockets: Socket[] = [];
  readonly requests: string[] = [];
  onRequest: (socket: Socket) => void = () => {};
  private readonly server: Server = createServer((socket) => {
    this.sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.requests.push(chunk.toString('latin1'));
      this.onRequest(socket);
    });
  });

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  get open(): number {
    return this.sockets.filter((socket) => !socket.destroyed).length;
  }
}

class TestCall implements LookupCall {
  connection?: LookupConnection = undefined;
  waitedTicks = 0;
  isAbandoned = false;
  readonly results: (OwnerAnswer | Error)[] = [];

  constructor(readonly request = 'GET / HTTP/1.1\r\nHost: lookup\r\n\r\n') {}

  onAnswer(answer: OwnerAnswer): void {
    this.results.push({ headers: answer.headers, body: bodyOf(answer) });
  }

  onFault(fault: Error): void {
    this.results.push(fault);
  }

  async result(): Promise<OwnerAnswer | Error> {
    await waitFor('the call to end', () => this.results.length > 0);
    return this.results[0];
  }
}

let server: ByteServer;
let pool: LookupPool | undefined;

async function open(options: Partial<LookupPoolOptions> = {}): Promise<LookupPool> {
  server = new ByteServer();
  pool = new LookupPool({ url: await server.start(), timeoutMs: 5_000, ...options });
  return pool;
}

function ask(into: LookupPool): TestCall {
  const call = new TestCall();
  into.ask(call);
  return call;
}

const answerOf = (body: string, headers = '') =>
  Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nX-Outcome: delivered\r\n${headers}\r\n${body}`,
    'latin1',
  );

afterEach(async () => {
  pool?.close();
  pool = undefined;
  await server?.stop();
});

describe('a call to lookup', () => {
  it('the answer is the same, however its bytes are split', async () => {
    const lookup = await open();
    const bytes = answerOf(
      '{"name":"B\xc3\xbccher"}',
      'Age: 7\r\nx-served-from:cache\r\nX-Credits-Max: 1\r\n',
    );
    for (let cut = 1; cut < bytes.length; cut += 3) {
      server.onRequest = (socket) => {
        socket.write(bytes.subarray(0, cut));
        setImmediate(() => socket.write(bytes.subarray(cut)));
      };
      expect(await ask(lookup).result()).toEqual({
        headers: expect.objectContaining({
          status: 200,
          outcome: 'delivered',
          servedFrom: 'cache',
          age: '7',
          creditsMax: 1,
        }),
        body: '{"name":"B\xc3\xbccher"}',
      });
    }
    expect(server.sockets).toHaveLength(1);
  });

  it('when all connections are in use, further calls wait for their turn, and abandoned calls are never sent', async () => {
    const lookup = await open({ connectionsMax: 2 });
    const held: Socket[] = [];
    server.onRequest = (socket) => held.push(socket);
    const calls = Array.from({ length: 6 }, () => ask(lookup));
    calls[3].isAbandoned = true;
    await waitFor('two questions', () => held.length === 2);
    server.onRequest = (socket) => socket.write(answerOf('{}'));
    for (const socket of held) socket.write(answerOf('{}'));
    for (const call of calls.filter(({ isAbandoned }) => !isAbandoned)) {
      expect(await call.result()).toHaveProperty('body', '{}');
    }
    expect(server.requests).toHaveLength(5);
    expect(server.sockets).toHaveLength(2);
    expect(calls[3].results).toEqual([]);
  });

  it('S102: two hundred calls without an answer do not delay any other call', async () => {
    const lookup = await open({ connectTimeoutMs: 30_000, timeoutMs: 30_000 });
    const slow = Array.from({ length: 200 }, () => ask(lookup));
    await waitFor('all to be asked', () => server.requests.length === slow.length);
    server.onRequest = (socket) => socket.write(answerOf('{}'));
    expect(await ask(lookup).result()).toHaveProperty('body', '{}');
  });

  it('cancelling a call closes its connection, delivers nothing, and frees its slot', async () => {
    const lookup = await open({ connectionsMax: 1 });
    const [first, second] = [ask(lookup), ask(lookup)];
    await waitFor('the question', () => server.requests.length === 1);
    server.onRequest = (socket) => socket.write(answerOf('{}'));
    first.connection?.destroy();
    expect(await second.result()).toHaveProperty('body', '{}');
    expect(first.results).toEqual([]);
    await waitFor('the first connection to close', () => server.open === 1);
  });

  it('silence before the headers or within the body ends in a timeout', async () => {
    const lookup = await open({ timeoutMs: 60 });
    expect(await ask(lookup).result()).toBeInstanceOf(AnswerLate);
    server.onRequest = (socket) => socket.write(answerOf('{"a":1}').subarray(0, -1));
    expect(await ask(lookup).result()).toBeInstanceOf(AnswerLate);
    expect(lookup.size).toBe(0);
  });

  it('S63: an answer that arrives too slowly ends in a timeout', async () => {
    const lookup = await open({ timeoutMs: 100 });
    const bytes = answerOf(`{"a":"${'x'.repeat(1_000)}"}`);
    let sent = 0;
    let drip: NodeJS.Timeout | undefined;
    server.onRequest = (socket) => {
      drip = setInterval(() => socket.write(bytes.subarray(sent, ++sent)), 10);
    };
    expect(await ask(lookup).result()).toBeInstanceOf(AnswerLate);
    clearInterval(drip);
    expect(lookup.size).toBe(0);
  });

  it('S63: waiting for a connection counts towards the time limit', async () => {
    const lookup = await open({ timeoutMs: 3_000, connectionsMax: 1 });
    const calls = Array.from({ length: 5 }, () => ask(lookup));
    for (const call of calls) expect(await call.result()).toBeInstanceOf(AnswerLate);
    expect(server.requests).toHaveLength(1);
    server.onRequest = (socket) => socket.write(answerOf('{}'));
    expect(await ask(lookup).result()).toHaveProperty('body', '{}');
  });

  it('a truncated answer fails only its own call, and a call to a closed port fails', async () => {
    const lookup = await open();
    server.onRequest = (socket) => socket.end(answerOf('{"a":1}').subarray(0, -1));
    expect(await ask(lookup).result()).toBeInstanceOf(ConnectionEnded);
    server.onRequest = (socket) => socket.write(answerOf('{}'));
    expect(await ask(lookup).result()).toHaveProperty('body', '{}');
    await server.stop();
    await waitFor('the closed connection to be forgotten', () => lookup.size === 0);
    expect(await ask(lookup).result()).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\n{}'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}'],
    [
      'a chunked body',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}',
    ],
    ['a signed length', 'HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\n{}'],
    ['a line without a colon', 'HTTP/1.1 200 OK\r\nnothing\r\nContent-Length: 2\r\n\r\n{}'],
    ['an age that is not a number', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nAge: 1\x01\r\n\r\n{}'],
    [
      'an age in two header lines',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nAge: 1\nx: y\r\n\r\n{}',
    ],
    ['an interim answer', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['more than announced', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}{}'],
    ['more than is read', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n'],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(4_000)}`],
  ])('%s is a broken answer, and its connection is not used again', async (_what, bytes) => {
    const lookup = await open();
    server.onRequest = (socket) => socket.write(bytes);
    expect(await ask(lookup).result()).toBeInstanceOf(BrokenAnswer);
    expect(lookup.size).toBe(0);
  });

  it('a connection is reused only while lookup keeps it open and sends nothing unrequested', async () => {
    const lookup = await open();
    server.onRequest = (socket) => socket.write(answerOf('{}', 'Connection: close\r\n'));
    await ask(lookup).result();
    server.onRequest = (socket) => socket.write(answerOf('{}'));
    await ask(lookup).result();
    await ask(lookup).result();
    expect(server.sockets).toHaveLength(2);
    server.sockets[1].write(answerOf('{"of":"nobody"}'));
    await waitFor('the connection to be discarded', () => lookup.size === 0);
    expect(await ask(lookup).result()).toHaveProperty('body', '{}');
    server.sockets[2].end();
    await waitFor('the closed connection to be forgotten', () => lookup.size === 0);
  });

  it('unneeded connections are closed', async () => {
    const lookup = await open({ timeoutMs: 100, keepAliveMs: 30 });
    server.onRequest = (socket) => socket.write(answerOf('{}'));
    await ask(lookup).result();
    await waitFor('the connection to be closed', () => server.open === 0);
    expect(lookup.size).toBe(0);
  });
});

describe('the headers of an answer', () => {
  it('names are case-insensitive, and spaces around values are ignored', () => {
    const text = 'HTTP/1.1 504 x\r\nCONTENT-LENGTH:  12 \r\nConnection: CLOSE\r\n\r\n';
    expect(readAnswerHeaders(text, text.length - 4)).toEqual({
      status: 504,
      bodyBytes: 12,
      outcome: '',
      servedFrom: '',
      age: undefined,
      isKept: false,
    });
  });

  it('S112: over TLS, the gateway calls only lookup, and keeps the connections', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookup-tls-'));
    const authority = new OwnAuthority(folder);
    const logger = new Logger('test', { write: () => undefined });
    const tls = new InternalTls(authority.issue('gateway'), logger);
    const seen: unknown[] = [];
    const askAs = async (name: string) => {
      const { listenerOptions } = new InternalTls(authority.issue(name), logger);
      const listener = createTlsServer(listenerOptions, (_request, response) =>
        response.setHeader('x-outcome', 'delivered').end('{}'),
      );
      listener.on('secureConnection', (socket) => seen.push(socket.getPeerCertificate().subject));
      listener.listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const url = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
      const lookup = new LookupPool({ url, tls, timeoutMs: 5_000 });
      const results = [await ask(lookup).result(), await ask(lookup).result()];
      lookup.close();
      listener.close();
      return results;
    };
    try {
      expect(await askAs('lookup')).toEqual(Array(2).fill(expect.objectContaining({ body: '{}' })));
      expect(seen).toEqual([{ CN: 'gateway' }]);
      const refused = expect.objectContaining({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
      expect(await askAs('account')).toEqual([refused, refused]);
      const plain = { url: 'http://lookup:7100', tls, timeoutMs: 1 };
      expect(() => new LookupPool(plain)).toThrow('lookup: its URL must begin with https://');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('a connection that has just expired is not used again', async () => {
  const aged = await open({ timeoutMs: 100, ageMaxMs: 10 });
  server.onRequest = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  const calls: TestCall[] = [];
  // The call is made after the timer has closed a free connection, but before Node reports the close.
  const asking = setInterval(() => {
    if (calls.at(-1)?.results.length === 0) return;
    const call = new TestCall();
    calls.push(call);
    aged.ask(call);
  }, 1);
  await waitFor('many ends', () => server.sockets.length >= 100);
  clearInterval(asking);
  await calls.at(-1)!.result();
  expect(calls.flatMap(({ results }) => results).filter((one) => one instanceof Error)).toEqual([]);
});

it('connections expire: behind a connection balancer, each of three lookups gets at least a fifth of the calls, and no call is lost', async () => {
  const answer =
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nX-Outcome: delivered\r\nConnection: keep-alive\r\n\r\n{}';
  const owners = [new ByteServer(), new ByteServer(), new ByteServer()];
  const ports: number[] = [];
  for (const owner of owners) {
    ports.push(Number(new URL(await owner.start()).port));
    owner.onRequest = (socket) => void setImmediate(() => socket.write(answer));
  }
  let known = 1;
  let placed = 0;
  const through = new Set<Socket>();
  const balancer = createServer((client) => {
    const owner = connect(ports[placed++ % known], '127.0.0.1');
    for (const socket of [client, owner]) {
      through.add(socket);
      socket.on('error', () => {});
    }
    client.pipe(owner).pipe(client);
  });
  balancer.listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  const url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
  const aging = new LookupPool({ url, timeoutMs: 5_000, ageMaxMs: 1_000 });
  let isOver = false;
  const faults: unknown[] = [];
  /** Keeps a call running at all times, so that connections can be closed only between two calls. */
  const asker = async () => {
    while (!isOver) {
      const { promise, resolve } = Promise.withResolvers<OwnerAnswer | Error>();
      const call = new TestCall();
      call.onAnswer = call.onFault = resolve;
      aging.ask(call);
      const result = await promise;
      if (result instanceof Error) faults.push(result);
    }
  };
  const askers = Array.from({ length: 12 }, asker);
  await waitFor('the first lookup to be called', () => owners[0].requests.length > 100);
  const first = placed;
  known = 3;
  await waitFor(
    'every connection to be replaced',
    () => owners.every(({ open }) => open >= 3) && placed >= first + 12,
  );
  const before = owners.map(({ requests }) => requests.length);
  await waitFor('more requests', () => {
    const sum = owners.reduce((total, { requests }) => total + requests.length, 0);
    return sum > before.reduce((total, count) => total + count, 0) + 10_000;
  });
  isOver = true;
  await Promise.all(askers);
  const since = owners.map(({ requests }, place) => requests.length - before[place]);
  const all = since.reduce((total, count) => total + count, 0);
  expect(Math.min(...since) / all).toBeGreaterThanOrEqual(0.2);
  expect(faults).toEqual([]);
  aging.close();
  for (const socket of through) socket.destroy();
  balancer.close();
  for (const owner of owners) await owner.stop();
});
