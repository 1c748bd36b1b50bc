import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';
import { RawClient, plainQuestion } from '../../../../test/gateway/raw-client.js';
import type { RunningGateway } from '../start.js';

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];
let impatient: RunningGateway;
let apiKey: string;
const clients = new Set<RawClient>();

/**
 * How long the test waits for connections to be closed: less than the default limits for the first
 * request (10 s) and between requests (72 s).
 */
const IMPATIENT_MS = 8_000;

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  around = under.around;
  impatient = await around.startGateway({
    GATEWAY_HEADERS_TIMEOUT_MS: '500',
    GATEWAY_KEEP_ALIVE_MS: '1000',
    GATEWAY_JOURNAL: `${around.folder}/impatient`,
  });
  ({ apiKey } = around.account.addKey());
});
afterAll(async () => {
  for (const { socket } of clients) socket.destroy();
  await under?.stop();
});
beforeEach(() => under.forget());

async function open(apiUrl = under.url): Promise<RawClient> {
  const client = await RawClient.open(apiUrl);
  clients.add(client);
  return client;
}

/**
 * Opens a client of the gateway with short time limits. Its first request must arrive in time, which may take several
 * attempts on a busy machine.
 */
const openInTime = async (question: string, isThere: (client: RawClient) => boolean) =>
  waitFor('a client that sends its request in time', async () => {
    const client = await open(impatient.apiUrl);
    client.send(question);
    await waitFor('an answer or the end', () => isThere(client) || client.isEnded);
    return isThere(client) ? client : undefined;
  });

const ask = (name: string, headers = '') => plainQuestion(apiKey, name, headers);

async function answers(client: RawClient, count: number): Promise<number[]> {
  await waitFor(`${count} answers`, () => client.statuses.length >= count);
  return client.statuses;
}

describe('a client connection', () => {
  it('requests are answered one after another, each with its date and keep-alive time', async () => {
    const client = await open();
    for (let count = 1; count <= 3; count++) {
      client.send(ask(`a${count}.example`));
      expect((await answers(client, count)).at(-1)).toBe(200);
    }
    expect(client.names).toEqual(['a1.example', 'a2.example', 'a3.example']);
    const [headers] = client.text.split('\r\n\r\n');
    expect(headers).toMatch(/\r\nDate: \w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT\r\n/);
    expect(headers).toContain('\r\nConnection: keep-alive\r\nKeep-Alive: timeout=72\r\n');
  });

  // This table is evaluated before the key exists.
  const odd: [string, () => string[]][] = [
    ['in two packets', () => [ask('b1.example').slice(0, 30), ask('b1.example').slice(30)]],
    ['behind another one in its packet', () => [ask('b0.example') + ask('b1.example')]],
    ['with a header that Node must handle', () => [ask('b1.example', 'TE: trailers\r\n')]],
  ];

  it.each(odd)(
    'a request that arrives %s is answered like the plain requests around it',
    async (...[, packets]) => {
      const client = await open();
      client.send(ask('before.example'));
      await answers(client, 1);
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

  it('pipelined requests are answered in order', async () => {
    const client = await open();
    const held = around.lookup.holdAnswers();
    client.send(ask('c1.example'));
    const asked = around.lookup.questions.length;
    await waitFor('the first question', () => around.lookup.questions.length > asked);
    for (let count = 2; count <= 20; count++) client.send(ask(`c${count}.example`));
    held.release();
    expect(new Set(await answers(client, 20))).toEqual(new Set([200]));
    expect(client.names).toEqual(Array.from({ length: 20 }, (_, n) => `c${n + 1}.example`));
  });

  it('a request for another path is handled by the rest of the listener, on the same connection', async () => {
    const client = await open();
    client.send('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
    await answers(client, 1);
    client.send('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    await answers(client, 2);
    client.send(ask('d.example'));
    expect(await answers(client, 3)).toEqual([200, 404, 200]);
  });

  it('S104: a connection is closed if a request, first or later, does not arrive in time', async () => {
    // The attempt is repeated if a busy machine delayed the request.
    const [silent, quiet] = await waitFor('both to be closed in time', async () => {
      const pair = [
        await open(impatient.apiUrl),
        await openInTime(ask('e.example'), ({ statuses }) => statuses[0] === 200),
      ];
      const areClosed = () => pair.every(({ isEnded }) => isEnded);
      return waitFor('both to be closed', areClosed, IMPATIENT_MS).then(
        () => pair,
        () => undefined,
      );
    });
    expect(silent.text).toBe('');
    expect(quiet.statuses).toEqual([200]);
    expect(quiet.text).toContain('\r\nKeep-Alive: timeout=1\r\n');
  });

  it('a connection stays open while a request takes longer than the idle time', async () => {
    const held = around.lookup.holdAnswers();
    const asked = around.lookup.questions.length;
    const client = await openInTime(ask('f.example'), () => around.lookup.questions.length > asked);
    const idle = await open(impatient.apiUrl);
    idle.send('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
    const silent = await open(impatient.apiUrl);
    await waitFor('the others to be closed', () => silent.isEnded && idle.isEnded);
    held.release();
    expect(await answers(client, 1)).toEqual([200]);
  });
});
