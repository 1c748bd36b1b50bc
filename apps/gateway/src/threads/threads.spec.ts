import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestDatabase, waitFor } from '#test/environment';
import { Balancer } from '../../../../test/faults/balancer.js';
import { GatewayNeighbourhood } from '../../../../test/stand-ins/gateway-neighbourhood.js';
import { readJournal } from '../lease/lease-journal.js';

const MAIN = new URL('../main.js', import.meta.url).pathname;
const START_LIMIT_MS = 90_000;
const TEST_LIMIT_MS = 180_000;

/** Ends the first worker that was started when the process hears SIGUSR2. */
const ENDS_A_THREAD = `data:text/javascript,
  let first;
  process.on('worker', (worker) => (first ??= worker));
  process.on('SIGUSR2', () => first.terminate());`;

interface GatewayProcess {
  child: ChildProcess;
  apiUrl: string;
  url: string;
  output: () => string;
}

let database: TestDatabase;
let around: GatewayNeighbourhood;
const started: ChildProcess[] = [];

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayNeighbourhood(database);
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

function run(settings: Record<string, string>, ...flags: string[]) {
  const child = spawn(process.execPath, [...flags, MAIN], {
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

async function startProcess(
  settings: Record<string, string>,
  ...flags: string[]
): Promise<GatewayProcess> {
  const { child, output } = run(settings, ...flags);
  const lineOf = () =>
    output()
      .split('\n')
      .find((text) => text.includes('"msg":"gateway is up"'));
  const isOver = () => lineOf()?.endsWith('}') || child.exitCode !== null;
  await waitFor('the gateway to be up', isOver, START_LIMIT_MS);
  if (child.exitCode !== null) throw new Error(output());
  const { apiUrl, url } = JSON.parse(lineOf()!) as GatewayProcess;
  return { child, output, apiUrl, url };
}

/** The status of one request on a connection of its own, so that any thread may get it. */
async function ask(apiUrl: string, apiKey: string, name: string): Promise<number> {
  const path = `/v2.0/whois/live?domainName=${name}&apiKey=${apiKey}`;
  return new Promise((resolve, reject) => {
    get(`${apiUrl}${path}`, { agent: new Agent({ keepAlive: false }) }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!));
    }).once('error', reject);
  });
}

async function statusesOf(apiUrl: string, apiKey: string, count: number): Promise<number[]> {
  const names = Array.from({ length: count }, (_, place) => `name${place}.example`);
  return Promise.all(names.map(async (name) => ask(apiUrl, apiKey, name)));
}

const howMany = (statuses: number[], status: number) =>
  statuses.filter((each) => each === status).length;

describe('a gateway in several threads', () => {
  it(
    'S99 S14: threads share an account’s minute, its repeats and a key’s day exactly',
    async () => {
      const gateway = await startProcess({
        GATEWAY_THREADS: '2',
        GATEWAY_JOURNAL: journal('share'),
      });
      const warming = around.account.addKey();
      let name = 0;
      await waitFor('answers of both threads', async () => {
        await ask(gateway.apiUrl, warming.apiKey, `warm${name++}.example`);
        return [1, 2].every((number) => textOf('share', number).includes('= '));
      });

      const limited = around.account.addKey();
      around.entitlement.limits.set(limited.facts.accountId, 40);
      const statuses = await statusesOf(gateway.apiUrl, limited.apiKey, 100);
      expect([howMany(statuses, 200), howMany(statuses, 429)]).toEqual([40, 60]);

      const capped = around.account.addKey({ dailyCreditCap: 5 });
      const ofCapped = await statusesOf(gateway.apiUrl, capped.apiKey, 30);
      expect(howMany(ofCapped, 200)).toBe(5);

      const repeating = around.account.addKey();
      await ask(gateway.apiUrl, repeating.apiKey, 'again.example');
      for (let i = 0; i < 20; i++) await ask(gateway.apiUrl, repeating.apiKey, 'again.example');
      const { accountId } = repeating.facts;
      await waitFor('the charge', () => around.entitlement.charged(accountId) > 0);
      expect(await end(gateway.child, 'SIGTERM')).toBe(0);
      expect(around.entitlement.charged(accountId)).toBe(1);
      expect(around.entitlement.openLeases(accountId)).toBe(0);
    },
    TEST_LIMIT_MS,
  );

  it(
    'a second process on the same port, of one thread or two, is refused with a line that names the setting; probes ask for all threads',
    async () => {
      const gateway = await startProcess({
        GATEWAY_THREADS: '2',
        GATEWAY_JOURNAL: journal('first'),
      });
      // A thread that does not answer a probe within a second is a fault, also when it is only slow.
      await waitFor('all to be well', async () => {
        const ready = await fetch(`${gateway.url}/ready`);
        return JSON.stringify(await ready.json()) === '{"status":"ok","faults":[]}';
      });
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      expect(metrics.match(/^process_resident_memory_bytes /gm)).toHaveLength(1);

      const { port } = new URL(gateway.apiUrl);
      for (const threads of ['1', '2']) {
        const second = run({
          GATEWAY_THREADS: threads,
          GATEWAY_PORT: port,
          GATEWAY_JOURNAL: journal('second'),
        });
        // Not its exit: what it said may still be in the pipe.
        await once(second.child, 'close');
        expect(second.child.exitCode).toBe(1);
        expect(second.output()).toContain(
          `cannot listen on 127.0.0.1:${port} (GATEWAY_PORT): another process listens there`,
        );
      }
    },
    TEST_LIMIT_MS,
  );

  it(
    'threads log from the configured level on, and their requests are traced',
    async () => {
      const spans: string[] = [];
      const collector = createServer((request, response) => {
        void text(request).then((body) => {
          spans.push(body);
          response.end('{}');
        });
      });
      collector.listen(0, '127.0.0.1');
      await once(collector, 'listening');
      const { port } = collector.address() as AddressInfo;
      const gateway = await startProcess({
        GATEWAY_THREADS: '2',
        GATEWAY_JOURNAL: journal('telemetry'),
        LOG_LEVEL: 'debug',
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_TRACES_SAMPLER_ARG: '1',
      });
      // One application of the process, one of each thread.
      const applications = () => gateway.output().match(/Nest application successfully started/g);
      await waitFor('their lines', () => (applications()?.length ?? 0) >= 3);
      expect(applications()).toHaveLength(3);
      await ask(gateway.apiUrl, around.account.addKey().apiKey, 'traced.example');
      expect(await end(gateway.child, 'SIGTERM')).toBe(0);
      expect(spans.join()).toContain('GET /v2.0/whois/live');
      collector.closeAllConnections();
      collector.close();
    },
    TEST_LIMIT_MS,
  );

  it(
    'a thread that dies takes the process with it, drained and with an exit code',
    async () => {
      const settings = { GATEWAY_THREADS: '2', GATEWAY_JOURNAL: journal('dying') };
      const gateway = await startProcess(settings, '--import', ENDS_A_THREAD);
      gateway.child.kill('SIGUSR2');
      await once(gateway.child, 'close');
      expect(gateway.child.exitCode).toBe(1);
      expect(gateway.output()).toContain('a thread has died');
      expect(gateway.output()).toContain('gateway drains');
    },
    TEST_LIMIT_MS,
  );

  it(
    'what killed threads had charged is settled by a start with fewer of them',
    async () => {
      const { apiKey, facts } = around.account.addKey();
      const many = await startProcess({ GATEWAY_THREADS: '2', GATEWAY_JOURNAL: journal('fewer') });
      const statuses = await statusesOf(many.apiUrl, apiKey, 40);
      expect(howMany(statuses, 200)).toBe(40);
      // A thread notes what it has answered at the end of its turn of the event loop.
      const noted = () => [1, 2].flatMap((number) => readJournal(textOf('fewer', number)));
      const sum = () => noted().reduce((total, { consumed }) => total + consumed, 0);
      await waitFor('the journals', () => sum() === 40);
      await end(many.child);
      expect(around.entitlement.openLeases(facts.accountId)).toBeGreaterThan(1);
      await startProcess({ GATEWAY_THREADS: '1', GATEWAY_JOURNAL: journal('fewer') });
      const isSettled = () => around.entitlement.openLeases(facts.accountId) === 0;
      await waitFor('every lease to be closed', isSettled);
      expect(around.entitlement.charged(facts.accountId)).toBe(40);
    },
    TEST_LIMIT_MS,
  );

  it(
    'no request fails while one of two gateways drains its threads under load',
    async () => {
      const { apiKey, facts } = around.account.addKey();
      around.entitlement.limits.set(facts.accountId, 1_000_000);
      around.entitlement.balances.set(facts.accountId, 1_000_000);
      // As long as the balancer may need to look once.
      const notice = { GATEWAY_DRAIN_NOTICE_MS: '5000', GATEWAY_DRAIN_MS: '60000' };
      const [leaving, staying] = await Promise.all([
        startProcess({ ...notice, GATEWAY_THREADS: '2', GATEWAY_JOURNAL: journal('leaving') }),
        startProcess({ ...notice, GATEWAY_THREADS: '1', GATEWAY_JOURNAL: journal('staying') }),
      ]);
      const targets = [leaving.apiUrl, staying.apiUrl];
      const balancer = await Balancer.start({
        targets,
        healthPath: '/health',
        healthTimeoutMs: 30_000,
      });
      const clients = Array.from({ length: 24 }, () => new Client(balancer.origin, apiKey));
      const running = Promise.all(clients.map(async (client) => client.run()));
      const answered = () => clients.reduce((sum, client) => sum + client.answered, 0);
      await waitFor('answers', () => answered() > 500);
      expect(await end(leaving.child, 'SIGTERM')).toBe(0);
      const before = answered();
      await waitFor('answers of the other one', () => answered() > before + 200);
      for (const client of clients) client.isOver = true;
      await running;
      await balancer.stop();
      expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
      expect(balancer.healthy).toEqual([staying.apiUrl]);
    },
    TEST_LIMIT_MS,
  );
});

function journal(name: string): string {
  return join(around.folder, `${name}.journal`);
}

const textOf = (name: string, thread: number) => readFileSync(`${journal(name)}.${thread}`, 'utf8');

/**
 * Sends one request after the other over a kept connection. A connection may be closed between an answer
 * and the next request; whatever else ends one is a failure, and none is tried again.
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
