import { once } from 'node:events';
import { type RequestListener, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, BlockList, type Socket, connect } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '#test/environment';
import {
  OpenConnections,
  type OpenConnectionsOptions,
  makeUnimportant,
} from './open-connections.js';

/** More bytes than the operating system buffers. */
const LARGE = 'x'.repeat(16_000_000);

describe('the connections of a listener', () => {
  const sockets: Socket[] = [];
  const waiting: ServerResponse[] = [];
  let begun = 0;
  /** Connections that have reached Node's HTTP server. */
  let reached = 0;
  let server: Server;
  /** The monotonic clock, once it stands still. */
  let time: jest.Spied<typeof performance.now> | undefined;

  const stopClock = () => (time = jest.spyOn(performance, 'now').mockReturnValue(0));

  afterEach(() => {
    time?.mockRestore();
    for (const socket of sockets.splice(0)) socket.destroy();
    waiting.length = 0;
    server.close();
  });

  async function listen(
    connectionsMax: number,
    ofPeerMax: number,
    options: Partial<OpenConnectionsOptions> = {},
    event = 'request',
  ) {
    const trustedProxies = new BlockList();
    begun = reached = 0;
    const answer: RequestListener = (request, response) => {
      begun++;
      if (request.url === '/wait') waiting.push(response);
      else if (request.url === '/large') response.end(LARGE);
      else if (request.method === 'POST') request.resume().on('end', () => response.end('served'));
      else response.end('served');
    };
    server = createServer(answer).on('connection', () => reached++);
    if (event !== 'request') server.on(event, answer);
    new OpenConnections({ connectionsMax, ofPeerMax, trustedProxies, ...options }).watch(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Begins to open a connection, which may be refused. */
  function knock(localAddress: string): Socket {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    return socket.on('error', () => {});
  }

  async function open(localAddress: string): Promise<Socket> {
    const socket = knock(localAddress);
    await once(socket, 'connect');
    return socket;
  }

  async function ask(socket: Socket): Promise<string> {
    const answer = once(socket, 'data');
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const [chunk] = (await answer) as [Buffer];
    return chunk.toString();
  }

  it('S126: one address has a limited share, however many connections it opens, and others are served', async () => {
    await listen(100, 10);
    const flood: Socket[] = [];
    for (let n = 0; n < 40; n++) flood.push(await open('127.0.0.2'));
    await waitFor(
      'the first to make room',
      () => flood.filter(({ closed }) => closed).length === 30,
    );
    expect(flood.slice(-10).every(({ closed }) => !closed)).toBe(true);
    expect(await ask(await open('127.0.0.3'))).toContain('served');
    expect(flood.filter(({ closed }) => closed)).toHaveLength(30);
  });

  it('S126: if the listener is full, the connection that has been idle longest is closed, but never a connection that waits for its answer', async () => {
    await listen(3, 3);
    const asking = await open('127.0.0.2');
    asking.write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n');
    await waitFor('the question', () => waiting.length === 1);
    const idle = await open('127.0.0.3');
    const used = await open('127.0.0.4');
    expect(await ask(used)).toContain('served');
    expect(await ask(await open('127.0.0.5'))).toContain('served');
    await waitFor('the longest idle to be closed', () => idle.closed);
    expect([asking.closed, used.closed]).toEqual([false, false]);
    const answer = once(asking, 'data');
    waiting[0].end('late');
    expect(String((await answer)[0])).toContain('late');
  });

  it('S126: a slow search for the longest idle connection does not make later connections appear idle for longer', async () => {
    const idleMs = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    await listen(3, 3, { idleMs });
    const opened: Socket[] = [];
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) opened.push(await open(from));
    expect(await ask(await open('127.0.0.5'))).toContain('served');
    await waitFor('one to make room', () => opened.some(({ closed }) => closed));
    expect(opened.map(({ closed }) => closed)).toEqual([true, false, false]);
  });

  it('S126: if all connections wait for answers, a new connection is refused', async () => {
    await listen(2, 2);
    for (const from of ['127.0.0.2', '127.0.0.3']) {
      (await open(from)).write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n');
    }
    await waitFor('both questions', () => waiting.length === 2);
    const late = knock('127.0.0.4');
    await waitFor('the refusal', () => late.closed);
    expect(sockets.slice(0, 2).every(({ closed }) => !closed)).toBe(true);
  });

  it('S126: a connection that waits for a delayed rejection makes room for a new one', async () => {
    await listen(2, 2);
    for (const from of ['127.0.0.2', '127.0.0.3']) {
      (await open(from)).write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n');
      await waitFor('the question', () => waiting.length === sockets.length);
    }
    makeUnimportant(waiting[1]);
    expect(await ask(await open('127.0.0.4'))).toContain('served');
    await waitFor('the rejected to make room', () => sockets[1].closed);
    expect(sockets[0].closed).toBe(false);
  });

  it('S126: a trusted proxy has no limit, because all clients are behind it', async () => {
    const trustedProxies = new BlockList();
    trustedProxies.addAddress('127.0.0.2');
    await listen(100, 2, { trustedProxies });
    const opened: Socket[] = [];
    for (let n = 0; n < 20; n++) opened.push(await open('127.0.0.2'));
    expect(await ask(opened[0])).toContain('served');
    expect(opened.some(({ closed }) => closed)).toBe(false);
  });

  it.each([
    ['does not send its body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n1'],
    ['does not read its answer', 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n'],
  ])(
    'S126: behind a proxy, a client that %s makes room for others, however many connections it has',
    async (_, text) => {
      const trustedProxies = new BlockList();
      trustedProxies.addAddress('127.0.0.2');
      await listen(20, 2, { trustedProxies });
      const asking = await open('127.0.0.2');
      asking.write('GET /wait HTTP/1.1\r\nhost: a\r\n\r\n');
      await waitFor('the question', () => waiting.length === 1);
      const flood: Socket[] = [];
      for (let n = 0; n < 19; n++) {
        const socket = await open('127.0.0.2');
        flood.push(socket.pause());
        socket.write(text);
      }
      await waitFor('all of them', () => begun === 20);
      expect(await ask(await open('127.0.0.3'))).toContain('served');
      await waitFor('the first to make room', () => flood[0].resume().closed);
      expect([asking, ...flood.slice(1)].some(({ closed }) => closed)).toBe(false);
      const answer = once(asking, 'data');
      waiting[0].end('late');
      expect(String((await answer)[0])).toContain('late');
    },
  );

  it('S126: all networks of an IPv6 site together have four times the share of one network', async () => {
    const clock = stopClock();
    await listen(1_000, 5);
    let network = 0;
    server.prependListener('connection', (socket: Socket) => {
      clock.mockReturnValue(network * 1_000);
      Object.defineProperty(socket, 'remoteAddress', { value: `2001:db8:7:${++network}::1` });
    });
    const flood: Socket[] = [];
    for (let n = 0; n < 50; n++) flood.push(await open('127.0.0.2'));
    await waitFor('their part', () => flood.filter(({ closed }) => closed).length === 30);
    expect(await ask(await open('127.0.0.2'))).toContain('served');
    expect(flood.filter(({ closed }) => closed)).toHaveLength(31);
  });

  it('S126: the connections that one site opens in excess within a second are closed before they reach Node’s HTTP server, and others are served', async () => {
    const clock = stopClock();
    await listen(1_000, 5);
    const flood = Array.from({ length: 50 }, () => knock('127.0.0.2'));
    await waitFor('the excess', () => flood.filter(({ closed }) => closed).length === 45);
    expect(reached).toBe(20);
    expect(await ask(await open('127.0.0.3'))).toContain('served');
    clock.mockReturnValue(1_000);
    expect(await ask(await open('127.0.0.2'))).toContain('served');
  });

  it('S126: a trusted proxy may open any number of connections in a second', async () => {
    const trustedProxies = new BlockList();
    trustedProxies.addAddress('127.0.0.2');
    stopClock();
    await listen(100, 1, { trustedProxies });
    for (let n = 0; n < 20; n++) await open('127.0.0.2');
    expect(await ask(await open('127.0.0.2'))).toContain('served');
    expect(reached).toBe(21);
  });

  it('S126: a connection that its client reset before it was accepted does not reach Node’s HTTP server', async () => {
    await listen(100, 10);
    const reset = (socket: Socket) =>
      Object.defineProperty(socket, 'remoteAddress', { value: undefined });
    server.prependOnceListener('connection', reset);
    const gone = knock('127.0.0.2');
    await waitFor('its end', () => gone.closed);
    expect(await ask(await open('127.0.0.2'))).toContain('served');
    expect(reached).toBe(1);
  });

  const pipelined = (count: number, path: string, header = '') =>
    `GET ${path} HTTP/1.1\r\nhost: a\r\n${header && `${header}\r\n`}\r\n`.repeat(count);

  it('S126: all pipelined requests of a connection are answered, but only a few at a time', async () => {
    await listen(100, 10);
    const socket = await open('127.0.0.2');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(pipelined(20, '/wait') + pipelined(1, '/'));
    for (let ended = 0; ended < 20; ended++) {
      await waitFor('the next question', () => waiting.length > ended);
      expect(begun - ended).toBeLessThanOrEqual(4);
      waiting[ended].end(`late ${ended}.`);
    }
    await waitFor('the last answer', () => text.endsWith('served'));
    expect(text.match(/late \d+/g)).toEqual(Array.from({ length: 20 }, (_, n) => `late ${n}`));
  });

  it('S126: pipelined requests are not started once their connection is closed', async () => {
    await listen(100, 10);
    const gone = await open('127.0.0.2');
    gone.write(pipelined(30, '/wait'));
    await waitFor('the first', () => waiting.length > 0);
    gone.destroy();
    await waitFor('the next', async () => (await ask(await open('127.0.0.3'))).includes('served'));
    for (const response of waiting) response.end();
    expect(await ask(await open('127.0.0.3'))).toContain('served');
    expect(begun).toBeLessThanOrEqual(4 + 2);
  });

  it.each([
    ['', 'request'],
    ['expect: 100-continue', 'checkContinue'],
    ['expect: something', 'checkExpectation'],
  ])(
    'S126: a flood of pipelined requests (%s) closes its connection, and the rest of its packet is not parsed',
    async (header, event) => {
      await listen(100, 10, {}, event);
      let made = 0;
      server.on(event, () => made++);
      const flood = await open('127.0.0.2');
      flood.resume().write(pipelined(700, '/wait', header));
      await waitFor('its end', () => flood.closed);
      expect(await ask(await open('127.0.0.3'))).toContain('served');
      expect(begun).toBeLessThanOrEqual(4 + 1);
      // Those in progress, those that may wait, the one too many, and that of the other client.
      expect(made).toBeLessThanOrEqual(4 + 64 + 1 + 1);
    },
  );
});
