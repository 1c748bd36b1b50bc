import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { makeRunFolder, waitFor } from '#test/environment';
import { request } from 'undici';
import { Customer } from '../../../test/stories/customer.js';
import type { DemoFacts, SoloFacts } from './announcement/solo-facts.js';
import { startSolo } from './solo.js';

const START_TIMEOUT_MS = 300_000;
/** The credits of the demo account: trial credits and the operator's grant. */
const CREDITS = 5_500;

/** The number of invented names in this test, instead of the default of 50,000. */
const INVENTED_NAMES = 100;

interface EndedProcess {
  code: number | null;
  output: string;
}

describe('solo', () => {
  const root = makeRunFolder();
  const data = join(root, 'data');
  const processes: ChildProcess[] = [];
  let solo: ChildProcess;
  let facts: SoloFacts & { demo: DemoFacts };
  let charged = 0;

  function launch(program: string, settings: Record<string, string> = {}, ...args: string[]) {
    const ports = { API_PORT: '0', DASHBOARD_PORT: '0', METRICS_PORT: '0' };
    const few = { OFFLINE_NAMES: String(INVENTED_NAMES), DEMO_ACCOUNT: 'empty' };
    // A busy machine delays the event loop, and load shedding is not tested here.
    const unhurried = { GATEWAY_LOOP_DELAY_MAX_MS: '60000', GATEWAY_SERVICES_TIMEOUT_MS: '20000' };
    const environment = { ...process.env, DATA_DIR: data, ...ports, ...few, ...unhurried };
    const child = spawn(process.execPath, [`dist/apps/solo/src/${program}.js`, ...args], {
      env: { ...environment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    processes.push(child);
    return child;
  }

  async function outcomeOf(child: ChildProcess): Promise<EndedProcess> {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  /** Starts the product in this process, which is quicker if the start is refused. */
  const startHere = (dataFolder: string, apiPort: number) => {
    const log = { path: join(root, 'log'), write: () => {} };
    return startSolo({ dataFolder, apiPort, dashboardPort: 0, offline: true, log });
  };

  async function start(): Promise<void> {
    solo = launch('main', {}, '--offline');
    solo.stdout?.resume();
    solo.stderr?.resume();
    facts = await waitFor('the addresses of solo', () => readFacts(solo.pid), START_TIMEOUT_MS);
  }

  function readFacts(pid: number | undefined): typeof facts | undefined {
    try {
      const read = JSON.parse(readFileSync(join(data, 'solo.json'), 'utf8')) as typeof facts;
      return read.pid === pid ? read : undefined;
    } catch {
      return undefined;
    }
  }

  async function lookUp(key: string, domainName: string) {
    const url = `${facts.api_url}/v2.0/whois/live?domainName=${domainName}`;
    const { statusCode, headers, body } = await request(url, {
      headers: { authorization: `Bearer ${key}` },
    });
    charged += Number(headers['x-credits-cost'] ?? 0);
    return { status: statusCode, headers, body: (await body.json()) as Record<string, unknown> };
  }

  async function outcome(key: string, domainName: string) {
    const { status, body } = await lookUp(key, domainName);
    return [status, body.code].filter((part) => part !== undefined);
  }

  async function demoCustomer(): Promise<Customer> {
    const { api_url: apiUrl, dashboard_url: dashboardUrl, demo } = facts;
    const mailbox = { newest: async () => Promise.resolve([]) };
    const customer = new Customer({ apiUrl, dashboardUrl, mailbox }, demo.email);
    expect((await customer.logIn(demo.password)).status).toBe(200);
    return customer;
  }

  async function balance(customer: Customer): Promise<number> {
    const { body } = await customer.call('GET', '/api/balance');
    return body.spendable + body.reserved;
  }

  /** Returns the balance that is left if each answer was charged as stated in its headers. */
  const left = () => CREDITS - charged;

  beforeAll(start, START_TIMEOUT_MS);
  afterAll(async () => {
    for (const child of processes.filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    )) {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
    rmSync(root, { recursive: true, force: true });
  });

  it('invented names are in the corpus after the start, and their number is stored', async () => {
    const file = join(data, 'generated-names.json');
    const remembered = () =>
      existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { names: number }).names;
    await waitFor('the names', () => remembered() === INVENTED_NAMES);
    const operator = parseEnv(readFileSync(join(data, 'operator.env'), 'utf8'));
    const { rows } = await withClient(operator.CORPUS_DATABASE_URL!, (client) =>
      client.query<{ names: number }>('select sum(names)::int as names from tld_names'),
    );
    expect(rows[0].names).toBeGreaterThanOrEqual(INVENTED_NAMES);
  });

  it('a fresh start answers the test key free of charge and the live key for one credit', async () => {
    const { demo } = facts;
    const tested = await lookUp(demo.test_key, 'registered.test');
    expect([tested.status, tested.headers['x-credits-cost']]).toEqual([200, '0']);
    const live = await lookUp(demo.live_key, 'first-light.com');
    expect([live.status, live.headers['x-credits-cost']]).toEqual([200, '1']);
    expect(live.headers['x-simulated-data']).toBe('true');
    expect(live.body).toMatchObject({ domain_name: 'first-light.com', domain_registered: 'yes' });
  });

  it('S113: generated secrets are readable only by their owner, and none is logged', () => {
    const files = readdirSync(data, { withFileTypes: true }).filter((entry) => entry.isFile());
    const open = files.filter(({ name }) => statSync(join(data, name)).mode & 0o077);
    expect(
      open.map(({ name }) => name).filter((name) => name !== 'gateway-leases.journal'),
    ).toEqual([]);
    const secrets = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as object;
    const log = readFileSync(facts.log_file, 'utf8');
    for (const secret of [...Object.values(secrets), facts.demo.live_key, facts.demo.test_key]) {
      expect(log.includes(secret as string)).toBe(false);
    }
  });

  it('a second start in the same folder fails and names the running process', async () => {
    const again = startHere(data, Number(new URL(facts.api_url).port));
    await expect(again).rejects.toThrow(`process ${solo.pid}`);
  });

  it('the doctor names the ports of the running process, and says that it needs no internet', async () => {
    const { output } = await outcomeOf(launch('doctor'));
    for (const url of [facts.api_url, facts.dashboard_url, facts.metrics_url]) {
      expect(output).toContain(`${new URL(url).port}, of the running process ${solo.pid}`);
    }
    expect(output).toContain('not needed: live keys use the registry simulator');
  });

  it('the metrics of the services are at one URL, and the metrics of the process appear once', async () => {
    const text = await (await request(facts.metrics_url)).body.text();
    for (const service of ['dds_mail', 'dds_entitlement', 'dds_lookup', 'dds_gateway']) {
      expect(text).toMatch(new RegExp(`^${service}_`, 'm'));
    }
    expect(text.match(/^process_cpu_seconds_total /gm)).toHaveLength(1);
  });

  it('a reset fails while the installation runs', async () => {
    const { code, output } = await outcomeOf(launch('reset', {}, '--yes'));
    expect([code, output]).toEqual([1, expect.stringContaining('Stop it first')]);
  });

  it('a port in use is reported with the setting for another port', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const elsewhere = startHere(join(root, 'other'), port);
    await expect(elsewhere).rejects.toThrow(new RegExp(`^Port ${port} is taken\\..* API_PORT=0`));
    taken.close();
  });

  it('Ctrl-C during the first start leaves no incomplete database, password file or lock', async () => {
    const folder = join(root, 'interrupted');
    const child = launch('main', { DATA_DIR: folder });
    const outcome = outcomeOf(child);
    const server = join(folder, 'postgres');
    const left = () => (existsSync(server) ? readdirSync(server) : []);
    await waitFor('a half-made database', async () =>
      left().some((name) => name.includes('making')),
    );
    child.kill('SIGINT');
    expect((await outcome).code).toBe(130);
    expect(left().filter((name) => /making|password/.test(name))).toEqual([]);
    expect(readdirSync(folder)).not.toContain('solo.lock');
  });

  it('a folder that cannot be created is reported in one line with the setting for another folder', async () => {
    const { code, output } = await outcomeOf(launch('main', { DATA_DIR: '/proc/no-such-folder' }));
    expect(code).toBe(1);
    expect(output).toContain('/proc/no-such-folder');
    expect(output).toContain('DATA_DIR=');
  });

  it(
    'after a kill, a plain start is enough: keys and credits are the same, and each answer is charged at most once',
    async () => {
      const before = facts.demo;
      const customer = await demoCustomer();
      await waitFor('what was charged', async () => (await balance(customer)) === left());
      await lookUp(before.live_key, 'before-the-kill.com');
      // When the second answer arrives, the gateway has sent and journalled the first.
      await lookUp(before.live_key, 'at-the-kill.com');
      solo.kill('SIGKILL');
      await once(solo, 'close');
      await start();
      expect(facts.demo).toEqual(before);
      const after = await lookUp(before.live_key, 'after-the-kill.com');
      expect(after.status).toBe(200);
      // The process may have died before the second answer was journalled; that answer is then free.
      const again = await demoCustomer();
      await waitFor('each charge', async () => (await balance(again)) <= left() + 1);
      expect(await balance(again)).toBeGreaterThanOrEqual(left());
    },
    START_TIMEOUT_MS,
  );

  it(
    'without its key file, the demo account gets new keys that work, and no further credits',
    async () => {
      const before = facts.demo;
      solo.kill('SIGTERM');
      await once(solo, 'close');
      rmSync(join(data, 'demo.json'));
      await start();
      // The stop has settled all charges and closed all leases, so no credit is charged later or twice.
      expect([left(), left() + 1]).toContain(await balance(await demoCustomer()));
      expect(facts.demo.live_key).toMatch(/^dds_live_/);
      expect(facts.demo.test_key).toMatch(/^dds_test_/);
      expect(facts.demo.live_key).not.toBe(before.live_key);
      expect(await outcome(facts.demo.live_key, 'after-the-loss.com')).toEqual([200]);
      expect(await outcome(facts.demo.test_key, 'registered.test')).toEqual([200]);
      expect(await outcome(before.live_key, 'with-the-old-key.com')).toEqual([
        401,
        'invalid_api_key',
      ]);
    },
    START_TIMEOUT_MS,
  );

  it('answers of the registry simulator are not stored, because a later start without the simulator would serve them as real', async () => {
    // The previous stop sent all waiting observations.
    const operator = parseEnv(readFileSync(join(data, 'operator.env'), 'utf8'));
    const { rows } = await withClient(operator.CORPUS_DATABASE_URL!, (client) =>
      client.query<{ source: string }>(
        'select distinct s.name as source from domain d join source s on s.id = d.source_id',
      ),
    );
    expect(rows).toEqual([{ source: 'generated' }]);
  });

  it('SIGTERM stops everything and leaves nothing running', async () => {
    const outcome = outcomeOf(solo);
    solo.kill('SIGTERM');
    expect((await outcome).code).toBe(0);
    expect(readdirSync(data)).not.toContain('solo.lock');
    const { folder } = JSON.parse(readFileSync(join(data, 'postgres.json'), 'utf8')) as {
      folder: string;
    };
    expect(readdirSync(join(folder, 'pgdata'))).not.toContain('postmaster.pid');
  });

  it('a reset removes the folder, and asks first unless --yes is given', async () => {
    const asked = await outcomeOf(launch('reset'));
    expect([asked.code, asked.output]).toEqual([1, expect.stringContaining('--yes')]);
    expect(await outcomeOf(launch('reset', {}, '--yes'))).toMatchObject({ code: 0 });
    expect(readdirSync(root)).not.toContain('data');
  });
});
