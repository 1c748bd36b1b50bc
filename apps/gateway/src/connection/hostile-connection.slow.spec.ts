import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor, withEnoughTime } from '#test/environment';
import { deliveredAnswer, nameIn } from '../../../../test/stand-ins/lookup-stand-in.js';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';
import { RawClient, plainQuestion } from '../../../../test/gateway/raw-client.js';

const LARGE = 'x'.repeat(3_900_000);

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];
let apiKey: string;
let accountId: string;
const clients = new Set<RawClient>();

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  around = under.around;
});
afterAll(async () => {
  for (const { socket } of clients) socket.destroy();
  await under?.stop();
});
beforeEach(() => {
  under.forget();
  const { apiKey: key, keyRecord } = around.account.addKey();
  [apiKey, accountId] = [key, keyRecord.accountId];
});

const startAnother = async (name: string, settings: Record<string, string>) =>
  around.startGateway({ ...settings, GATEWAY_JOURNAL: `${around.folder}/${name}.journal` });

/** Opens a client that reads only on request, and does not close its side when the gateway closes the other. */
async function open(apiUrl = under.url): Promise<RawClient> {
  const client = await RawClient.open(apiUrl, { reads: false, staysOpen: true });
  clients.add(client);
  return client;
}

const question = (name: string) => plainQuestion(apiKey, name);

/** Sends a live lookup; resolves when the lookup service has received it. */
async function ask(client: RawClient, name: string): Promise<void> {
  client.send(question(name));
  await waitFor(`the question for ${name}`, () => timesAsked(name) === 1);
}

const timesAsked = (name: string) =>
  around.lookup.questions.filter(({ path }) => path.includes(`domainName=${name}`)).length;

/** Resolves when the bytes written so far have been read; both ends of the connection are in this process. */
const nextTurn = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const isTaken = async (apiUrl: string) =>
  open(apiUrl).then(
    () => true,
    () => false,
  );

function answerLargely(): void {
  around.lookup.answer = (request) => ({
    ...deliveredAnswer(nameIn(request)),
    body: `{"domain_name":"${nameIn(request)}","large":"${LARGE}"}`,
  });
}

describe('a client that disconnects', () => {
  it('a disconnect is noticed even behind pipelined requests, which are not charged', async () => {
    const client = await open();
    const held = around.lookup.holdAnswers();
    const { abandoned } = around.lookup;
    await ask(client, 'a1.example');
    for (const name of ['a2.example', 'a3.example']) {
      client.send(question(name));
      await nextTurn();
    }
    client.socket.end();
    await waitFor('the call to be cancelled', () => around.lookup.abandoned > abandoned);
    held.release();
    await ask(await open(), 'a4.example');
    await waitFor('a later charge', () => around.entitlement.charged(accountId) > 0);
    expect(around.entitlement.charged(accountId)).toBe(1);
    expect(timesAsked('a2.example')).toBe(0);
  });

  it('a client that disconnects in the event-loop turn in which its answers arrive is charged nothing', async () => {
    const open20 = await Promise.all(Array.from({ length: 20 }, async () => open()));
    const held = around.lookup.holdAnswers();
    await Promise.all(open20.map(async (client, place) => ask(client, `gone${place}.example`)));
    for (const { socket } of open20) socket.resetAndDestroy();
    held.release();
    await ask(await open(), 'stayed.example');
    await waitFor('a later charge', () => around.entitlement.charged(accountId) > 0);
    expect(around.entitlement.charged(accountId)).toBe(1);
  });

  it('a client that half-closed its connection still gets the answers that were charged', async () => {
    answerLargely();
    const client = await open();
    for (let count = 1; count <= 2; count++) {
      await ask(client, `b${count}.example`);
      await waitFor('the charge', () => around.entitlement.charged(accountId) === count);
    }
    client.socket.end();
    await nextTurn();
    client.read();
    await waitFor('the end', () => client.isEnded);
    expect(client.text.length).toBeGreaterThan(2 * LARGE.length);
  });
});

describe('a shutdown', () => {
  it('no request after the last answer of a connection is served or charged', async () => {
    const other = await startAnother('last', { GATEWAY_DRAIN_NOTICE_MS: '1000' });
    const client = await open(other.apiUrl);
    client.read();
    const held = around.lookup.holdAnswers();
    await ask(client, 'c1.example');
    const stopped = around.stopGateway(other);
    // The drain begins with this call, so the next answer is the last one on its connection.
    held.release();
    await waitFor('the answer', () => client.statuses.length === 1);
    expect(client.text).toContain('Connection: close');
    client.send(question('c2.example'));
    await stopped;
    expect(timesAsked('c2.example')).toBe(0);
    expect(around.entitlement.charged(accountId)).toBe(1);
  });

  it('a slow client gets its complete answer', async () => {
    const other = await startAnother('slow', { GATEWAY_DRAIN_MS: '60000' });
    answerLargely();
    const client = await open(other.apiUrl);
    await ask(client, 'f1.example');
    await waitFor('the charge', () => around.entitlement.charged(accountId) === 1);
    const stopped = around.stopGateway(other);
    await waitFor(
      'no further connection to be accepted',
      async () => !(await isTaken(other.apiUrl)),
    );
    await nextTurn();
    client.read();
    await stopped;
    await waitFor('the end', () => client.isEnded);
    expect(client.text.length).toBeGreaterThan(LARGE.length);
  });

  it('S104: a client that keeps its connection open after a rejected CONNECT does not delay a shutdown', async () => {
    const other = await startAnother('tunnel', {});
    const client = await open(other.apiUrl);
    client.read();
    client.send('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitFor('the refusal', () => client.text.includes(' 405 '));
    await around.stopGateway(other);
    expect(client.isEnded).toBe(true);
  });
});

describe('a client whose next request is late', () => {
  it('a client with running requests gets their answers instead of a timeout', async () => {
    const isLate = (statuses: number[] | undefined) => statuses === undefined;
    expect(await withEnoughTime(500, askLate, isLate)).toEqual([200, 200, 200]);
  });

  let asked = 0;

  /** @returns the statuses of three requests, or undefined if the requests themselves were sent too late. */
  async function askLate(headersTimeoutMs: number): Promise<number[] | undefined> {
    const settings = { GATEWAY_HEADERS_TIMEOUT_MS: String(headersTimeoutMs) };
    const other = await startAnother(`late${asked++}`, settings);
    const names = [1, 2, 3].map((nth) => `late${nth}-${asked}.example`);
    const [asking, silent] = [await open(other.apiUrl), await open(other.apiUrl)];
    asking.read();
    silent.read();
    const held = around.lookup.holdAnswers();
    const [one, two, three] = names.map(question);
    asking.send(one + two + three.slice(0, 30));
    const areAsked = () => timesAsked(names[0]) + timesAsked(names[1]) === 2;
    await waitFor('both calls, or the end', () => areAsked() || asking.isEnded);
    if (!areAsked()) return around.stopGateway(other) as Promise<undefined>;
    silent.send('GET /half');
    // The time limit of the silent client began later, so the limit of the other client has passed as well.
    await waitFor('the time of the silent client to be over', () => silent.statuses[0] === 408);
    expect(asking.text).toBe('');
    held.release();
    asking.send(three.slice(30));
    await waitFor('three answers', () => asking.statuses.length === 3);
    expect(asking.names).toEqual(names);
    await around.stopGateway(other);
    return asking.statuses;
  }
});

describe('a client that sends requests but reads nothing', () => {
  it('S104: the connection is closed in time, however much remains to be sent', async () => {
    const other = await startAnother('unread', {
      GATEWAY_KEEP_ALIVE_MS: '300',
      GATEWAY_LOOKUP_TIMEOUT_MS: '3000',
    });
    answerLargely();
    const client = await open(other.apiUrl);
    client.send(question('d1.example') + question('d2.example'));
    await waitFor('both charges', () => around.entitlement.charged(accountId) === 2);
    const request = `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1_000)}\r\n\r\n`;
    client.send(request.repeat(10_000));
    await waitFor('the end', () => client.socket.closed);
  });
});
