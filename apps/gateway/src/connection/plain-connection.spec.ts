import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestDatabase, waitFor } from '#libs/testing';
import { GatewayNeighbourhood } from '../../../../test/stand-ins/gateway-neighbourhood.js';
import { deliveredAnswer, nameIn } from '../../../../test/stand-ins/lookup-stand-in.js';
import type { RunningGateway } from '../start.js';

let database: TestDatabase;
let around: GatewayNeighbourhood;
let gateway: RunningGateway;
let apiKey: string;
const sockets = new Set<Socket>();

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayNeighbourhood(database);
  await around.start();
  gateway = await around.startGateway({
    GATEWAY_HEADERS_TIMEOUT_MS: '500',
    GATEWAY_KEEP_ALIVE_MS: '1000',
  });
  ({ apiKey } = around.account.addKey());
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await around?.stop();
  await database?.drop();
});

beforeEach(() => {
  around.lookup.answer = (asked) => deliveredAnswer(nameIn(asked));
});

/** A client that keeps everything it is sent. */
class Client {
  text = '';
  isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => (this.isClosed = true));
  }

  static async open(): Promise<Client> {
    const socket = connect(Number(new URL(gateway.apiUrl).port), '127.0.0.1');
    sockets.add(socket);
    await once(socket, 'connect');
    return new Client(socket);
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
  }

  /** Names in the answers, in their order. */
  get names(): string[] {
    return [...this.text.matchAll(/"domain_name":"([^"]+)"/g)].map(([, name]) => name);
  }

  async answers(count: number): Promise<number[]> {
    await waitFor(`${count} answers`, () => this.statuses.length >= count);
    return this.statuses;
  }
}

const ask = (name: string, headers = '') =>
  `GET /v2.0/whois/live?domainName=${name} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\n${headers}\r\n`;

describe('a client connection', () => {
  it('answers one request after another, each with its date and for how long it stays open', async () => {
    const client = await Client.open();
    for (let count = 1; count <= 3; count++) {
      client.send(ask(`a${count}.example`));
      expect((await client.answers(count)).at(-1)).toBe(200);
    }
    expect(client.names).toEqual(['a1.example', 'a2.example', 'a3.example']);
    const [head] = client.text.split('\r\n\r\n');
    expect(head).toMatch(/\r\nDate: \w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT\r\n/);
    expect(head).toContain('\r\nConnection: keep-alive\r\nKeep-Alive: timeout=1\r\n');
  });

  // The key is known only once the tests run.
  const odd: [string, () => string[]][] = [
    ['in two packets', () => [ask('b1.example').slice(0, 30), ask('b1.example').slice(30)]],
    ['behind another one in its packet', () => [ask('b0.example') + ask('b1.example')]],
    ['with a header that Node must judge', () => [ask('b1.example', 'TE: trailers\r\n')]],
  ];

  it.each(odd)(
    'a request that comes %s is answered as plain ones before and after it',
    async (...[, packets]) => {
      const client = await Client.open();
      client.send(ask('before.example'));
      await client.answers(1);
      for (const packet of packets()) {
        client.send(packet);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await waitFor('the answer', () => client.names.includes('b1.example'));
      client.send(ask('after.example'));
      await waitFor('the last answer', () => client.names.includes('after.example'));
      expect(new Set(client.statuses)).toEqual(new Set([200]));
      expect(client.names[0]).toBe('before.example');
      expect(client.names.at(-1)).toBe('after.example');
    },
  );

  it('requests that do not wait for answers are answered in their order', async () => {
    const client = await Client.open();
    const held = around.lookup.holdAnswers();
    client.send(ask('c1.example'));
    const asked = around.lookup.questions.length;
    await waitFor('the first question', () => around.lookup.questions.length > asked);
    for (let count = 2; count <= 20; count++) client.send(ask(`c${count}.example`));
    held.release();
    expect(new Set(await client.answers(20))).toEqual(new Set([200]));
    expect(client.names).toEqual(Array.from({ length: 20 }, (_, n) => `c${n + 1}.example`));
  });

  it('what is no operation is answered by the rest of the listener, on the same connection', async () => {
    const client = await Client.open();
    client.send('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.answers(1);
    client.send('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.answers(2);
    client.send(ask('d.example'));
    expect(await client.answers(3)).toEqual([200, 404, 200]);
  });

  it('S104: ends when nothing was asked in time, and when nothing more is', async () => {
    const [silent, quiet] = [await Client.open(), await Client.open()];
    quiet.send(ask('e.example'));
    await quiet.answers(1);
    await waitFor('both to be closed', () => silent.isClosed && quiet.isClosed);
    expect(silent.text).toBe('');
  });

  it('a question under way outlives the time a connection may be quiet', async () => {
    const client = await Client.open();
    const held = around.lookup.holdAnswers();
    client.send(ask('f.example'));
    const idle = await Client.open();
    idle.send('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
    const silent = await Client.open();
    await waitFor('the others to be closed', () => silent.isClosed && idle.isClosed, 15_000);
    held.release();
    expect(await client.answers(1)).toEqual([200]);
  });
});
