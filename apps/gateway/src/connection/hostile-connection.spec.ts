import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestDatabase, waitFor } from '#libs/testing';
import { GatewayNeighbourhood } from '../../../../test/stand-ins/gateway-neighbourhood.js';
import { deliveredAnswer, nameIn } from '../../../../test/stand-ins/lookup-stand-in.js';
import type { RunningGateway } from '../start.js';

const LARGE = 'x'.repeat(3_900_000);

let database: TestDatabase;
let around: GatewayNeighbourhood;
let gateway: RunningGateway;
let apiKey: string;
let accountId: string;
const sockets = new Set<Socket>();

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayNeighbourhood(database);
  await around.start();
  gateway = await around.startGateway();
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await around?.stop();
  await database?.drop();
});

beforeEach(() => {
  const { apiKey: key, facts } = around.account.addKey();
  [apiKey, accountId] = [key, facts.accountId];
  around.lookup.answer = (request) => deliveredAnswer(nameIn(request));
});

/** A gateway beside the others, with a journal of its own. */
const startAnother = async (name: string, settings: Record<string, string>) =>
  around.startGateway({ ...settings, GATEWAY_JOURNAL: `${around.folder}/${name}.journal` });

/** A client that does not close its side because the gateway has, and reads only what it wants to. */
class Client {
  text = '';
  isEnded = false;

  private constructor(readonly socket: Socket) {
    socket.on('error', () => {});
    socket.on('end', () => (this.isEnded = true));
    socket.on('close', () => (this.isEnded = true));
  }

  static async open({ apiUrl } = gateway): Promise<Client> {
    const port = Number(new URL(apiUrl).port);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.add(socket);
    await once(socket, 'connect');
    return new Client(socket);
  }

  read(): this {
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
    return this;
  }

  /** Sends a question; resolves when lookup has been asked. */
  async ask(name: string): Promise<void> {
    this.socket.write(question(name));
    await waitFor(`the question for ${name}`, () => timesAsked(name) === 1);
  }

  get answerCount(): number {
    return this.text.split('HTTP/1.1 200 OK').length - 1;
  }
}

const question = (name: string) =>
  `GET /v2.0/whois/live?domainName=${name} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\n\r\n`;

const timesAsked = (name: string) =>
  around.lookup.questions.filter(({ path }) => path.includes(`domainName=${name}`)).length;

/** What was written before has been read by then: both ends are in this process. */
const nextTurn = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function answerLargely(): void {
  around.lookup.answer = (request) => ({
    ...deliveredAnswer(nameIn(request)),
    body: JSON.stringify({ domain_name: nameIn(request), large: LARGE }),
  });
}

describe('a client that goes', () => {
  it('is seen to go behind questions it has sent ahead, and charged for none', async () => {
    const client = await Client.open();
    const held = around.lookup.holdAnswers();
    const { abandoned } = around.lookup;
    await client.ask('a1.example');
    for (const name of ['a2.example', 'a3.example']) {
      client.socket.write(question(name));
      await nextTurn();
    }
    client.socket.end();
    await waitFor('the question to be ended', () => around.lookup.abandoned > abandoned);
    held.release();
    await Client.open().then(async (other) => other.read().ask('a4.example'));
    await waitFor('a later charge', () => around.entitlement.charged(accountId) > 0);
    expect(around.entitlement.charged(accountId)).toBe(1);
    expect(timesAsked('a2.example')).toBe(0);
  });

  it('still gets the answers that were charged when it only has no further question', async () => {
    answerLargely();
    const client = await Client.open();
    for (let count = 1; count <= 2; count++) {
      await client.ask(`b${count}.example`);
      await waitFor('the charge', () => around.entitlement.charged(accountId) === count);
    }
    client.socket.end();
    await nextTurn();
    client.read();
    await waitFor('the end', () => client.isEnded);
    expect(client.text.length).toBeGreaterThan(2 * LARGE.length);
  });
});

describe('a stop', () => {
  it('takes and charges nothing behind the last answer of a connection', async () => {
    const other = await startAnother('last', { GATEWAY_DRAIN_NOTICE_MS: '1000' });
    const client = await Client.open(other);
    client.read();
    const held = around.lookup.holdAnswers();
    await client.ask('c1.example');
    const stopped = around.stopGateway(other);
    // Draining begins with the call; what is answered from now on is the last answer.
    held.release();
    await waitFor('the answer', () => client.answerCount === 1);
    expect(client.text).toContain('Connection: close');
    client.socket.write(question('c2.example'));
    await stopped;
    expect(timesAsked('c2.example')).toBe(0);
    expect(around.entitlement.charged(accountId)).toBe(1);
  });

  it('S104: is not held up by a tunnel that was refused and is kept open', async () => {
    const other = await startAnother('tunnel', {});
    const client = await Client.open(other);
    client.read().socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitFor('the refusal', () => client.text.includes(' 405 '));
    await around.stopGateway(other);
    expect(client.isEnded).toBe(true);
  });
});

describe('a client that asks and reads nothing', () => {
  it('S104: is closed in time, however much it still has to send', async () => {
    const other = await startAnother('unread', {
      GATEWAY_KEEP_ALIVE_MS: '300',
      GATEWAY_UPSTREAM_TIMEOUT_MS: '300',
    });
    answerLargely();
    const client = await Client.open(other);
    client.socket.write(question('d1.example') + question('d2.example'));
    await waitFor('both charges', () => around.entitlement.charged(accountId) === 2);
    client.socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200_000));
    await waitFor('the end', () => client.socket.closed);
  });
});
