import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestDatabase, ValkeyServer, valkeyAvailability, waitFor } from '#test/environment';
import { Balancer } from '../../../test/faults/balancer.js';
import { GatewayHarness } from '../../../test/stand-ins/gateway-harness.js';

const MAIN = new URL('main.js', import.meta.url).pathname;
const START_LIMIT_MS = 300_000;
const VALKEY_TIMEOUT_MS = 1_000;
const canShare = process.platform === 'linux' && valkeyAvailability() === undefined;

interface GatewayProcess {
  child: ChildProcess;
  apiUrl: string;
  output(): string;
}

let database: TestDatabase;
let around: GatewayHarness;
const started: ChildProcess[] = [];

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayHarness(database);
  await around.start();
});

afterEach(async () => {
  for (const child of started.splice(0)) await end(child);
});

afterAll(async () => {
  await around.stop();
  await database.drop();
});

async function end(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }
  return child.exitCode;
}

function run(settings: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...around.environment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  return { child, output: () => output };
}

async function startProcess(settings: Record<string, string>): Promise<GatewayProcess> {
  const { child, output } = run(settings);
  const lineOf = () =>
    output()
      .split('\n')
      .find((text) => text.includes('"msg":"gateway is up"'));
  const isOver = () => lineOf()?.endsWith('}') || child.exitCode !== null;
  await waitFor('the gateway to be up', isOver, START_LIMIT_MS);
  if (child.exitCode !== null) throw new Error(output());
  const { apiUrl } = JSON.parse(lineOf()!) as GatewayProcess;
  return { child, apiUrl, output };
}

/** Sends one request on a new connection, which may reach any gateway on the port. @returns the status. */
async function ask(apiUrl: string, apiKey: string, name: string): Promise<number> {
  const path = `/v2.0/whois/live?domainName=${name}&apiKey=${apiKey}`;
  return new Promise((resolve, reject) => {
    get(`${apiUrl}${path}`, { agent: new Agent({ keepAlive: false }) }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!));
    }).once('error', reject);
  });
}

/** Sends 100 requests, 20 at a time. @returns the statuses, and the longest time that 20 requests took. */
async function flood(apiUrl: string, apiKey: string) {
  const statuses: number[] = [];
  let longestMs = 0;
  for (let sent = 0; sent < 100; sent += 20) {
    const names = Array.from({ length: 20 }, (_, place) => `name${sent + place}.example`);
    const startedAt = performance.now();
    statuses.push(...(await Promise.all(names.map(async (name) => ask(apiUrl, apiKey, name)))));
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }
  return { statuses, longestMs };
}

const howMany = (statuses: number[], status: number) =>
  statuses.filter((each) => each === status).length;

(canShare ? describe : describe.skip)('several gateways on one port', () => {
  it('S99: every gateway answers, and together they enforce an account’s rate limit exactly', async () => {
    const valkey = await ValkeyServer.start({ folder: join(around.folder, 'valkey') });
    const shared = {
      GATEWAY_REUSE_PORT: 'true',
      VALKEY_URL: valkey.url,
      VALKEY_TIMEOUT_MS: String(VALKEY_TIMEOUT_MS),
    };
    const first = await startProcess({ ...shared, GATEWAY_JOURNAL: journal('one') });
    const { port } = new URL(first.apiUrl);
    const second = await startProcess({
      ...shared,
      API_PORT: port,
      GATEWAY_JOURNAL: journal('two'),
    });
    expect(second.apiUrl).toBe(first.apiUrl);
    const warming = around.account.addKey();
    let name = 0;
    await waitFor('answers from both gateways', async () => {
      await ask(first.apiUrl, warming.apiKey, `warm${name++}.example`);
      return ['one', 'two'].every((each) => textOf(each).includes('= '));
    });

    // A gateway that has waited too long for Valkey counts alone, so a flood on a stalled machine is repeated.
    const losses = () =>
      [first, second].flatMap(({ output }) => output().match(/Valkey does not answer/g) ?? [])
        .length;
    let accountId: string;
    let answers: Awaited<ReturnType<typeof flood>>;
    let lost: number;
    do {
      lost = losses();
      const { apiKey, keyRecord } = around.account.addKey();
      ({ accountId } = keyRecord);
      around.entitlement.limits.set(accountId, 40);
      answers = await flood(first.apiUrl, apiKey);
    } while (answers.longestMs >= VALKEY_TIMEOUT_MS || losses() > lost);
    expect([howMany(answers.statuses, 200), howMany(answers.statuses, 429)]).toEqual([40, 60]);

    for (const { child } of [first, second]) expect(await end(child, 'SIGTERM')).toBe(0);
    expect(around.entitlement.charged(accountId)).toBe(40);
    expect(around.entitlement.openLeases(accountId)).toBe(0);
    await valkey.stop();
  });
});

describe('two gateways on one machine', () => {
  it('a second gateway that may not share the port stops with a message that names the setting', async () => {
    const gateway = await startProcess({ GATEWAY_JOURNAL: journal('first') });
    const { port } = new URL(gateway.apiUrl);
    const second = run({ API_PORT: port, GATEWAY_JOURNAL: journal('second') });
    // The exit event is not enough, because output may still be in the pipe.
    await once(second.child, 'close');
    expect(second.child.exitCode).toBe(1);
    expect(second.output()).toContain(
      `cannot listen on 127.0.0.1:${port} (API_PORT): another process listens there`,
    );
  });

  it('no request fails while one of two gateways drains under load', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.entitlement.limits.set(keyRecord.accountId, 1_000_000);
    around.entitlement.balances.set(keyRecord.accountId, 1_000_000);
    // The balancer may need this long for one check.
    const notice = { GATEWAY_DRAIN_NOTICE_MS: '5000', GATEWAY_DRAIN_MS: '60000' };
    const [leaving, staying] = await Promise.all([
      startProcess({ ...notice, GATEWAY_JOURNAL: journal('leaving') }),
      startProcess({ ...notice, GATEWAY_JOURNAL: journal('staying') }),
    ]);
    const targets = [leaving.apiUrl, staying.apiUrl];
    const balancer = await Balancer.start(targets, 30_000);
    const clients = Array.from({ length: 24 }, () => new Client(balancer.origin, apiKey));
    const running = Promise.all(clients.map(async (client) => client.run()));
    const answered = () => clients.reduce((sum, client) => sum + client.answered, 0);
    await waitFor('answers', () => answered() > 500);
    expect(await end(leaving.child, 'SIGTERM')).toBe(0);
    const before = answered();
    await waitFor('answers from the other gateway', () => answered() > before + 200);
    for (const client of clients) client.isOver = true;
    await running;
    await balancer.stop();
    expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
    expect(balancer.healthy).toEqual([staying.apiUrl]);
  });
});

function journal(name: string): string {
  return join(around.folder, `${name}.journal`);
}

const textOf = (name: string) => readFileSync(journal(name), 'utf8');

/**
 * Sends one request after another over a persistent connection. The connection may be closed after an answer; any other
 * end is a failure, and nothing is retried.
 */
class Client {
  answered = 0;
  isOver = false;
  readonly failures: string[] = [];

  constructor(
    private readonly origin: string,
    private readonly apiKey: string,
  ) {}

  async run(): Promise<void> {
    while (!this.isOver) {
      const socket = connect(Number(new URL(this.origin).port), '127.0.0.1');
      try {
        await once(socket, 'connect');
        await this.talk(socket);
      } catch (error) {
        this.failures.push((error as Error).message);
        return;
      } finally {
        socket.destroy();
      }
    }
  }

  private async talk(socket: Socket): Promise<void> {
    let [received, isClosed, fault] = ['', false, ''];
    let wake = () => {};
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      wake();
    });
    socket.on('error', ({ message }) => (fault = message));
    for (const ending of ['end', 'close'] as const) {
      socket.on(ending, () => {
        isClosed = true;
        wake();
      });
    }
    while (!this.isOver && !isClosed) {
      received = '';
      const path = `/v2.0/whois/live?domainName=n${this.answered}.example&apiKey=${this.apiKey}`;
      socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`);
      while (!isWhole(received)) {
        if (isClosed || fault)
          throw new Error(`no answer: ${fault || 'the connection was closed'}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (!received.startsWith('HTTP/1.1 200 ')) throw new Error(received.slice(0, 200));
      this.answered++;
      if (/^connection: close/im.test(received)) return;
      await sleep(1);
    }
  }
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? NaN);
  return text.length >= head + 4 + length;
}
