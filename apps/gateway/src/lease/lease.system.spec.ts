import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { Logger, ServiceTokens, SystemClock, loadConfig, monotonicMs, newId } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { GatewayHarness } from '../../../../test/stand-ins/gateway-harness.js';
import type { RunningGateway } from '../start.js';
import { Services } from '../services.js';
import { GatewayConfig } from '../gateway.config.js';
import { LeaseClient } from './lease-client.js';
import { readLeases } from './journal-lines.js';
import { LeaseJournal } from './lease-journal.js';
import type { Lease } from './lease.js';

let database: TestDatabase;
let around: GatewayHarness;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayHarness(database);
  await around.start();
});

afterEach(() => {
  around.entitlement.isDown = false;
  around.entitlement.leaseMax = 1_000;
  around.entitlement.ttlMs = 60_000;
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await around?.stop();
  await database?.drop();
});

let asked = 0;

async function lookUp(apiUrl: string, apiKey: string): Promise<number> {
  const path = `/v2.0/whois/live?domainName=name${asked++}.example`;
  const { statusCode, body } = await request(apiUrl + path, { headers: { 'x-api-key': apiKey } });
  await body.dump();
  return statusCode;
}

/** Starts a gateway in its own process, so that the test can kill it. */
async function forkGateway(journal: string): Promise<{ apiUrl: string; child: ChildProcess }> {
  const main = join(import.meta.dirname, '..', 'main.js');
  const child = fork(main, { env: around.environment(journal), stdio: 'pipe', execArgv: [] });
  children.add(child);
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const apiUrl = await waitFor(
    'the gateway to listen',
    () => /"apiUrl":"([^"]+)"/.exec(output)?.[1],
    300_000,
  ).catch(() => {
    throw new Error(`the gateway did not start:\n${output}`);
  });
  return { apiUrl, child };
}

async function withGateway(
  settings: Record<string, string>,
  work: (gateway: RunningGateway) => Promise<void>,
): Promise<void> {
  const gateway = await around.startGateway(settings);
  try {
    await work(gateway);
  } finally {
    await around.stopGateway(gateway);
  }
}

const journalOf = (name: string) => ({ GATEWAY_JOURNAL: join(around.folder, name) });

function connectServices(): Services {
  const config = loadConfig(GatewayConfig, around.environment());
  return new Services(config, new ServiceTokens(config.serviceSecret, new SystemClock()));
}

const optionsOf = ({ entitlement: client }: Services, journalPath: string) => ({
  client,
  logger: new Logger('gateway', { write: () => {} }),
  journalPath,
  requestDeadlineMs: 1_000,
});

describe('leases', () => {
  it('every answered request is charged once, and unused credits are returned at a shutdown', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const { accountId } = keyRecord;
    around.entitlement.balances.set(accountId, 500);
    await withGateway(journalOf('stop'), async ({ apiUrl }) => {
      const statuses = await Promise.all(Array.from({ length: 100 }, () => lookUp(apiUrl, apiKey)));
      expect(new Set(statuses)).toEqual(new Set([200]));
    });
    expect(around.entitlement.charged(accountId)).toBe(100);
    expect(around.entitlement.openLeases(accountId)).toBe(0);
    expect(around.entitlement.available(accountId)).toBe(400);
    expect(readLeases(readFileSync(join(around.folder, 'stop'), 'utf8'))).toEqual([]);
  });

  it('S15: account is notified once about a key that was used many times within a minute', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    await withGateway(journalOf('used'), async ({ apiUrl }) => {
      await Promise.all(Array.from({ length: 20 }, () => lookUp(apiUrl, apiKey)));
    });
    expect(around.account.usedKeys.filter((keyId) => keyId === keyRecord.keyId)).toHaveLength(1);
  });

  it('concurrent requests never overspend: exactly as many get 200 as the balance covers', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.entitlement.balances.set(keyRecord.accountId, 37);
    around.entitlement.leaseMax = 5;
    await withGateway(journalOf('storm'), async ({ apiUrl }) => {
      const statuses = await Promise.all(Array.from({ length: 100 }, () => lookUp(apiUrl, apiKey)));
      expect(statuses.filter((status) => status === 200)).toHaveLength(37);
      expect(statuses.filter((status) => status === 402)).toHaveLength(63);
    });
    expect(around.entitlement.charged(keyRecord.accountId)).toBe(37);
  });

  it('a recalled lease accepts no further requests and is returned', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    await withGateway(journalOf('recall'), async ({ apiUrl }) => {
      expect(await lookUp(apiUrl, apiKey)).toBe(200);
      const [leaseId] = [...around.entitlement.leases].find(
        ([, lease]) => lease.accountId === keyRecord.accountId,
      )!;
      around.entitlement.recalled.add(leaseId);
      await waitFor('the return', () => around.entitlement.leases.get(leaseId)!.isClosed);
      expect(around.entitlement.available(keyRecord.accountId)).toBe(999);
      expect(await lookUp(apiUrl, apiKey)).toBe(200);
      expect(around.entitlement.openLeases(keyRecord.accountId)).toBe(1);
    });
  });

  it("a lease that would end before the request's deadline is not used", async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.entitlement.ttlMs = 5_000;
    await withGateway(journalOf('short'), async ({ apiUrl }) => {
      const { entitlement } = around;
      const asks = () =>
        entitlement.calls.filter((call) => call === 'POST /internal/leases').length;
      const before = asks();
      expect(await lookUp(apiUrl, apiKey)).toBe(503);
      expect(asks()).toBeGreaterThan(before);
    });
    expect(around.entitlement.charged(keyRecord.accountId)).toBe(0);
    expect(around.entitlement.openLeases(keyRecord.accountId)).toBe(0);
  });

  it('the current lease works while entitlement is down, and is settled afterwards', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    await withGateway(journalOf('away'), async ({ apiUrl }) => {
      expect(await lookUp(apiUrl, apiKey)).toBe(200);
      await waitFor(
        'the first charge',
        () => around.entitlement.charged(keyRecord.accountId) === 1,
      );
      around.entitlement.isDown = true;
      for (let i = 0; i < 5; i++) expect(await lookUp(apiUrl, apiKey)).toBe(200);
      expect(around.entitlement.charged(keyRecord.accountId)).toBe(1);
      around.entitlement.isDown = false;
      await waitFor(
        'the other charges',
        () => around.entitlement.charged(keyRecord.accountId) === 6,
      );
    });
  });

  it('requests that wait during a drain get their credits, unused credits are returned, and later requests are rejected', async () => {
    const { keyRecord } = around.account.addKey();
    const { accountId } = keyRecord;
    around.entitlement.leaseMax = 2;
    const services = connectServices();
    const leases = new LeaseClient(optionsOf(services, join(around.folder, 'late')));
    leases.start();
    const waiting = Array.from({ length: 5 }, () => leases.reserve(accountId, 1, monotonicMs()));
    const drained = leases.drain(20_000);
    for (const lease of await Promise.all(waiting)) leases.finish(lease as Lease, 1, 1);
    await drained;
    const late = await leases.reserve(accountId, 1, monotonicMs());
    expect(late).toMatchObject({ status: 503 });
    await services.close();
    expect(around.entitlement.charged(accountId)).toBe(5);
    // A lease lives longer than this drain, so only the drain can have returned the unused credits.
    expect(around.entitlement.openLeases(accountId)).toBe(0);
  });
});

describe('the journal', () => {
  it('kill -9: the next start charges exactly what was answered', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const { accountId } = keyRecord;
    around.entitlement.balances.set(accountId, 200);
    const { apiUrl, child } = await forkGateway('killed');
    expect(await lookUp(apiUrl, apiKey)).toBe(200);
    await waitFor('the first charge', () => around.entitlement.charged(accountId) === 1);
    // From now on, nothing is settled, so the charges are only in the journal.
    around.entitlement.isDown = true;
    let answered = 1;
    for (let i = 0; i < 7; i++) if ((await lookUp(apiUrl, apiKey)) === 200) answered++;
    expect(answered).toBe(8);
    // Only answers from the event-loop turn that the kill interrupted may be missing.
    const path = join(around.folder, 'killed');
    await waitFor('the end of the turn', () => {
      const uses = readLeases(readFileSync(path, 'utf8'));
      return uses.reduce((sum, { consumed }) => sum + consumed, 0) === answered;
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    children.delete(child);
    around.entitlement.isDown = false;
    const next = await forkGateway('killed');
    await waitFor('the replay', () => around.entitlement.openLeases(accountId) === 0);
    expect(around.entitlement.charged(accountId)).toBe(answered);
    expect(around.entitlement.available(accountId)).toBe(200 - answered);
    await waitFor(
      'the old journal to be forgotten',
      () => !existsSync(join(around.folder, 'killed.earlier')),
    );
    next.child.kill('SIGTERM');
    await once(next.child, 'exit');
    children.delete(next.child);
  });

  it('a last line that the kill truncated is ignored, and two starts in a row lose nothing', async () => {
    const { keyRecord } = around.account.addKey();
    const [leaseId, other] = [newId(), newId()];
    const path = join(around.folder, 'cut');
    writeFileSync(`${path}.earlier`, `+ 0 ${other} ${keyRecord.accountId}\n= 0 3\n`);
    writeFileSync(path, `+ 4 ${leaseId} ${keyRecord.accountId}\n= 4 1\n= 4 2\n`);
    appendFileSync(path, '= 4 9');
    for (const id of [leaseId, other]) {
      around.entitlement.addLease(id, {
        accountId: keyRecord.accountId,
        amount: 10,
        consumed: 0,
        isClosed: false,
      });
    }
    around.entitlement.isDown = true;
    const first = await around.startGateway(journalOf('cut'));
    await around.stopGateway(first);
    around.entitlement.isDown = false;
    await withGateway(journalOf('cut'), async () => {
      await waitFor(
        'both to be closed',
        () => around.entitlement.openLeases(keyRecord.accountId) === 0,
      );
    });
    expect(around.entitlement.charged(keyRecord.accountId)).toBe(5);
  });

  it('lines of an unknown format are skipped, and other leases are still read', async () => {
    const { keyRecord } = around.account.addKey();
    const [leaseId, path] = [newId(), join(around.folder, 'damaged')];
    const damaged = [
      '+ 0 \0\0\0\0 \0\0\0\0',
      `+ 1 ${newId()} nobody`,
      `+ 2 not-a-lease ${keyRecord.accountId}`,
      `+ 3 ${newId()} ${keyRecord.accountId} more`,
    ];
    const own = `+ 4 ${leaseId} ${keyRecord.accountId}`;
    const totals = ['3', '1e99', 'Infinity', '2.5', '-7', '0x99', ''].map(
      (total) => `= 4 ${total}`,
    );
    writeFileSync(path, `${[...damaged, own, ...totals].join('\n')}\n`);
    expect(readLeases(readFileSync(path, 'utf8'))).toEqual([
      { leaseId, accountId: keyRecord.accountId, consumed: 3 },
    ]);
  });

  it('the credits used by each operation are reported, even after a kill and from a rewritten file', async () => {
    const { keyRecord } = around.account.addKey();
    const { accountId } = keyRecord;
    const path = join(around.folder, 'operations');
    const services = connectServices();
    const options = optionsOf(services, path);
    // This gateway settles nothing on its own, and rewrites its file each time it has grown by more than 100 bytes.
    const killed = { ...options, settleIntervalMs: 3_600_000, journalCompactAtBytes: 100 };
    const leases = new LeaseClient(killed);
    leases.start();
    for (const operation of ['whois.live', 'dns.live', 'whois.live', undefined]) {
      const lease = (await leases.reserve(accountId, 2, monotonicMs())) as Lease;
      leases.finish(lease, 2, 2, operation);
    }
    const operations = { 'whois.live': 4, 'dns.live': 2 };
    await waitFor('the journal', () => readLeases(readFileSync(path, 'utf8'))[0]?.consumed === 8);
    const next = new LeaseClient(options);
    next.start();
    await next.replayed;
    const [stored] = [...around.entitlement.leases.values()].filter(
      (lease) => lease.accountId === accountId,
    );
    expect(stored).toMatchObject({ consumed: 8, operations, isClosed: true });
    await next.drain(60_000);
    await leases.drain(0);
    await services.close();
  });

  it("the journal's folder is created, and only its owner can read it", () => {
    const folder = join(around.folder, 'new', 'inner');
    const logger = new Logger('gateway', { write: () => {} });
    const path = join(folder, 'journal');
    const journal = new LeaseJournal({ path, openLeases: () => [], onLost: () => {}, logger });
    expect(journal.open()).toEqual({ uses: [], holds: [], rows: [], writerIds: [] });
    expect(journal.isWritable).toBe(true);
    journal.close();
    expect([statSync(folder).mode & 0o777, existsSync(path)]).toEqual([0o700, true]);
  });

  it('while the journal cannot be written, each answer is settled at once; later the journal recovers', async () => {
    const { keyRecord } = around.account.addKey();
    const { accountId } = keyRecord;
    const folder = join(around.folder, 'lost');
    const path = join(folder, 'journal');
    mkdirSync(folder);
    const services = connectServices();
    const leases = new LeaseClient({
      ...optionsOf(services, path),
      // During this test, the gateway settles nothing on its own, and rewrites its file after each write.
      settleIntervalMs: 3_600_000,
      journalCompactAtBytes: 0,
    });
    const spend = async () => {
      const lease = (await leases.reserve(accountId, 1, monotonicMs())) as Lease;
      leases.finish(lease, 1, 1);
    };
    leases.start();
    await spend();
    const inJournal = () => readLeases(readFileSync(path, 'utf8')).at(0)?.consumed;
    await waitFor('the line', () => inJournal() === 1);
    expect(around.entitlement.charged(accountId)).toBe(0);
    rmSync(folder, { recursive: true });
    await spend();
    await waitFor('the first charges', () => around.entitlement.charged(accountId) === 2);
    await spend();
    await waitFor('the next charge', () => around.entitlement.charged(accountId) === 3);
    mkdirSync(folder);
    await waitFor('the journal to be back', async () => {
      await spend();
      return existsSync(path);
    });
    expect(inJournal()).toBeGreaterThan(3);
    await leases.drain(60_000);
    await services.close();
    expect(around.entitlement.openLeases(accountId)).toBe(0);
  });
});
