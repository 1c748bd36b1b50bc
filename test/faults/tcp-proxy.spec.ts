import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { TcpProxy } from './tcp-proxy.js';

class End {
  heard = '';
  fate: 'open' | 'ended' | 'reset' = 'open';

  constructor(readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on('data', (text) => (this.heard += text));
    socket.on('end', () => (this.fate = 'ended'));
    socket.on('error', () => (this.fate = 'reset'));
  }

  say(text: string): void {
    this.socket.write(text);
  }
}

describe('tcp proxy', () => {
  let server: Server;
  let served: End[];
  let proxy: TcpProxy;
  const opened: End[] = [];

  beforeEach(async () => {
    served = [];
    server = createServer((socket) => void served.push(new End(socket))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await TcpProxy.before({
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
    });
  });
  afterEach(async () => {
    await proxy.stop();
    for (const end of [...opened.splice(0), ...served]) end.socket.destroy();
    server.close();
    await once(server, 'close');
  });

  async function connected(): Promise<[client: End, server: End]> {
    const client = new End(connect(proxy.address));
    opened.push(client);
    const before = served.length;
    client.say('hello ');
    await waitFor(
      'the server to receive the connection',
      () => served.at(before)?.heard === 'hello ',
    );
    return [client, served[before]];
  }

  const hears = (end: End, text: string) => waitFor(text, () => end.heard.includes(text));
  const fate = (end: End, wanted: End['fate']) => waitFor(wanted, () => end.fate === wanted);

  it('forwards the bytes of both directions, and the end of each', async () => {
    const [client, server] = await connected();
    server.say('welcome');
    await hears(client, 'welcome');
    server.socket.end('bye');
    await hears(client, 'bye');
    await fate(client, 'ended');
  });

  it('a reset causes an error on both sides', async () => {
    const [client, server] = await connected();
    proxy.reset();
    await fate(client, 'reset');
    await fate(server, 'reset');
  });

  it('a refusing proxy does not listen; once healed, it listens on the same port', async () => {
    const { port } = proxy.address;
    await proxy.refuse();
    const refused = new End(connect(proxy.address));
    await fate(refused, 'reset');
    await proxy.heal();
    expect(proxy.address.port).toBe(port);
    await connected();
  });

  it('a stalled proxy accepts connections and forwards nothing; once healed, every byte arrives', async () => {
    const [client, server] = await connected();
    proxy.stall();
    const late = new End(connect(proxy.address));
    opened.push(late);
    await once(late.socket, 'connect');
    client.say('held');
    server.say('held too');
    late.say('late');
    await waitFor('the new connection to be held', () => proxy.accepted === 2);
    expect([server.heard, client.heard, served.at(1)?.heard ?? '']).toEqual(['hello ', '', '']);
    await proxy.heal();
    await hears(server, 'held');
    await hears(client, 'held too');
    await waitFor('the late one', () => served.at(1)?.heard === 'late');
  });

  it('lost bytes of one direction never arrive, while the other direction continues', async () => {
    const [client, server] = await connected();
    proxy.lose('to-client');
    server.say('lost');
    client.say('question');
    await hears(server, 'question');
    await proxy.heal();
    server.say('answer');
    await hears(client, 'answer');
    expect(client.heard).toBe('answer');
  });

  it('delayed bytes arrive in order', async () => {
    const [client, server] = await connected();
    const before = proxy.takenBytes;
    proxy.delay(500);
    client.say('one ');
    await waitFor('the first to be under way', () => proxy.takenBytes > before);
    proxy.delay(0);
    client.say('two');
    await hears(server, 'hello one two');
  });

  it('a fault can lose only the answer to a given request', async () => {
    const [client, server] = await connected();
    const [other, otherServer] = await connected();
    const struck = proxy.loseAnswerTo('COMMIT', 20);
    client.say('COMMIT');
    await hears(server, 'COMMIT');
    server.say('done');
    otherServer.say('fine');
    await struck;
    await fate(client, 'reset');
    await hears(other, 'fine');
    expect(client.heard).toBe('');
  });

  it('a connection can be reset before a given request arrives', async () => {
    const [client, server] = await connected();
    const struck = proxy.resetBefore('INSERT');
    client.say('INSERT');
    await struck;
    await fate(client, 'reset');
    expect(server.heard).toBe('hello ');
  });
});
