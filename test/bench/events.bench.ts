import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Inject, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CustomStrategy, Ctx, Payload } from '@nestjs/microservices';
import { AccountRegistered, type EventEnvelope } from '#libs/contracts';
import {
  Database,
  EmbeddedServer,
  Transaction,
  maintenanceRole,
  migrate,
  ownerRole,
  provisionRoles,
  provisionSchemas,
  serviceRole,
  withClient,
} from '#libs/database';
import { Consumes, InProcessTransport, Outbox, messagingTables } from '#libs/messaging';
import { Logger, SystemClock, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { type BenchReport, type BenchRow, atLeast, newFolder, timesRows } from './bench.js';
import { cleanup } from './cleanup.js';

const PASSWORD = 'bench';
const SERVICES = ['account', 'entitlement'] as const;
const EVENTS = 2_000;
const EVENTS_PER_SECOND = 200;
const BACKLOG = 10_000;
const WRITERS = 8;
const P99_TARGET_MS = 50;
const THROUGHPUT_TARGET = 3_000;
const DRAIN_TIMEOUT_MS = 60_000;

/** When each account's event was committed and when its handler began, in monotonic milliseconds. */
class Times {
  readonly committed = new Map<string, number>();
  readonly handled = new Map<string, number>();
}

@Controller()
class OnAccountRegisteredConsumer {
  constructor(@Inject(Times) private readonly times: Times) {}

  @Consumes(AccountRegistered)
  async handle(
    @Payload() event: EventEnvelope<AccountRegistered>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    this.times.handled.set(event.key, performance.now());
    await transaction.query('insert into heard (key) values ($1)', [event.key]);
  }
}

@Module({})
class ConsumerModule {}

/** Time from the commit of an event in one service to its handler in another, on a separate durable server. */
export async function run(): Promise<BenchReport> {
  const starting = EmbeddedServer.start({ folder: newFolder('events'), password: PASSWORD });
  cleanup.add(async () => (await starting).stop());
  return { title: 'events, in-process transport', rows: await measure(await starting) };
}

async function measure(server: EmbeddedServer): Promise<BenchRow[]> {
  const urlOf = await prepare(server);
  const open = (role: string) => Database.open({ url: urlOf(role), applicationName: 'bench' });
  const [producer, maintenance, consumer] = await Promise.all([
    open(serviceRole('account')),
    open(maintenanceRole('account')),
    open(serviceRole('entitlement')),
  ]);
  const times = new Times();
  const logger = new Logger('bench', process.stderr, 'warn');
  const transport = new InProcessTransport({ logger, consumers: { account: ['entitlement'] } });
  const outbox = new Outbox('account', new SystemClock(), transport);
  const register = (count: number) => registerAccounts(producer, outbox, { times, count });
  await Promise.all(Array.from({ length: WRITERS }, () => register(BACKLOG / WRITERS)));
  const app = await startConsumer(transport.strategyFor('entitlement', consumer), times);
  try {
    const startedAt = performance.now();
    await transport.startRelay('account', maintenance);
    await allHandled(times);
    const backlog = throughputRow(performance.now() - startedAt);
    return [...(await measureLatency(() => register(1), times)), backlog];
  } finally {
    await app.close();
    await transport.close();
    await Promise.all([producer, maintenance, consumer].map((database) => database.close()));
  }
}

/** Runs in a process that has handled the backlog, so connections are open and code is compiled. */
async function measureLatency(say: () => Promise<void>, times: Times): Promise<BenchRow[]> {
  times.committed.clear();
  times.handled.clear();
  const startedAt = performance.now();
  const saying: Promise<void>[] = [];
  for (let n = 0; n < EVENTS; n++) {
    const dueAt = startedAt + (n * 1000) / EVENTS_PER_SECOND;
    await sleep(Math.max(0, dueAt - performance.now()));
    saying.push(say());
  }
  await Promise.all(saying);
  await allHandled(times);
  const latencies = [...times.committed].map(([key, committedAt]) =>
    Math.max(0, (times.handled.get(key) as number) - committedAt),
  );
  const at = `commit → handler at ${EVENTS_PER_SECOND} events/s`;
  return [
    ...timesRows(at, latencies, P99_TARGET_MS),
    { what: `${at}, slowest`, value: Math.max(...latencies), unit: 'ms' },
  ];
}

function throughputRow(durationMs: number): BenchRow {
  const perSecond = (BACKLOG / durationMs) * 1000;
  const what = `backlog of ${BACKLOG} handled, one insert each`;
  return atLeast(what, perSecond, THROUGHPUT_TARGET, 'events/s');
}

/** One transaction; each event in it belongs to a different account. */
async function registerAccounts(
  producer: Database,
  outbox: Outbox,
  { times, count }: { times: Times; count: number },
): Promise<void> {
  await producer.transaction(async (transaction) => {
    for (let n = 0; n < count; n++) {
      const key = newId();
      const lock = await outbox.lock(transaction, { key, aggregate: `account:${key}` });
      await outbox.add(transaction, lock, AccountRegistered, { trialClaim: 'a'.repeat(64) });
      transaction.afterCommit(() => times.committed.set(key, performance.now()));
    }
  });
}

async function allHandled(times: Times): Promise<void> {
  await waitFor(
    'every event to be handled',
    () => times.handled.size === times.committed.size,
    DRAIN_TIMEOUT_MS,
  );
}

async function startConsumer(
  strategy: CustomStrategy['strategy'],
  times: Times,
): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice<CustomStrategy>(
    {
      module: ConsumerModule,
      controllers: [OnAccountRegisteredConsumer],
      providers: [{ provide: Times, useValue: times }],
    },
    { strategy, logger: false },
  );
  await app.listen();
  return app;
}

/**
 * Creates schemas with the messaging tables and a table in which a handler records events. @returns the URL of a role.
 */
export async function prepare(server: EmbeddedServer): Promise<(role: string) => string> {
  await withClient(server.url(), (client) => client.query('create database bench'));
  await provisionRoles(server.url(), SERVICES, () => PASSWORD);
  await provisionSchemas(
    server.url('bench'),
    SERVICES.map((name) => ({ name })),
  );
  const urlOf = (role: string) => {
    const url = new URL(server.url('bench'));
    url.username = role;
    return url.toString();
  };
  for (const service of SERVICES) {
    await migrate(urlOf(ownerRole(service)), [{ name: '0001-messaging', sql: messagingTables }]);
  }
  await withClient(urlOf(ownerRole('entitlement')), (client) =>
    client.query(
      'create table heard (key text primary key, at timestamptz not null default clock_timestamp())',
    ),
  );
  return urlOf;
}
