import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountRegistered } from '#libs/contracts';
import { Database, EmbeddedServer, maintenanceRole, serviceRole, withClient } from '#libs/database';
import { EventsConfig, KafkaTransport, Outbox, createTopics } from '#libs/messaging';
import { Logger, SystemClock, loadConfig, newId } from '#libs/platform';
import { KafkaBroker } from '#test/environment';
import { type BenchRow, atLeast, atMost, newFolder } from '../bench.js';
import { cleanup } from '../cleanup.js';
import { prepare } from '../events.bench.js';
import type { FigureOptions } from '../cluster.bench.js';

const EVENTS_PER_SECOND = 500;
/**
 * Events per transaction, as in a busy account service. With one event per transaction, the bench would measure
 * commits.
 */
const EVENTS_PER_TRANSACTION = 5;
const WRITERS = 8;
const DRAIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
const KILLED_AFTER_MS = 8_000;
const SECONDS_AROUND_KILL = 25;

/**
 * Time from commit to handler over a real broker. The producer and its relay run here, the consumers in separate
 * processes.
 */
export async function measure({ isShort }: FigureOptions): Promise<BenchRow[]> {
  const line = await EventLine.open();
  const first = await line.startConsumer();
  await line.startRelay();
  await line.say(1_000, 200);
  progress(`${EVENTS_PER_SECOND} events a second`);
  const calm = await line.latencies(isShort ? 5_000 : 15_000, EVENTS_PER_SECOND);
  const backlog = isShort ? 5_000 : 20_000;
  await end(first);
  await line.stopRelay();
  progress(`a backlog of ${backlog} events`);
  await line.say(backlog);
  const relayMs = await line.relayAll();
  const second = await line.startConsumer();
  const consumedPerSecond = await line.consumptionOf(backlog);
  const third = await line.startConsumer();
  progress('one of two consumers is about to be killed');
  const killing = sleep(KILLED_AFTER_MS).then(() => end(third));
  const around = await line.latencies(SECONDS_AROUND_KILL * 200, 200);
  await killing;
  await end(second);
  return [
    atMost(
      `kafka: commit → handler at ${EVENTS_PER_SECOND} events/s, p99`,
      calm.p99Ms,
      1_000,
      'ms',
    ),
    atLeast(`kafka: relay, backlog of ${backlog}`, (backlog * 1000) / relayMs, 3_000, 'events/s'),
    atLeast(`kafka: consumer, backlog of ${backlog}`, consumedPerSecond, 3_000, 'events/s'),
    atMost(
      'kafka: latest event around a kill -9 of one of two consumers',
      around.maxMs,
      12_000,
      'ms',
    ),
  ];
}

function progress(what: string): void {
  process.stderr.write(`    ${what}\n`);
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** A producer's database and relay, a broker and consumers. */
class EventLine {
  private transport?: KafkaTransport;

  private constructor(
    private readonly server: EmbeddedServer,
    private readonly urlOf: (role: string) => string,
    private readonly brokers: string,
    private readonly producer: Database,
    private readonly maintenance: Database,
  ) {}

  static async open(): Promise<EventLine> {
    const folder = newFolder('kafka');
    const startingServer = EmbeddedServer.start({ folder: join(folder, 'pg'), password: 'bench' });
    cleanup.add(async () => (await startingServer).stop());
    const startingBroker = KafkaBroker.start({ folder: join(folder, 'kafka') });
    cleanup.add(async () => (await startingBroker).stop());
    const [server, broker] = await Promise.all([startingServer, startingBroker]);
    const urlOf = await prepare(server);
    await withClient(server.url('bench'), async (client) => {
      await client.query('create table said (key text primary key, at timestamptz not null)');
      await client.query('grant insert on said to public; grant usage on schema public to public');
    });
    const open = async (role: string) =>
      Database.open({ url: urlOf(role), applicationName: 'bench' });
    const producer = await open(serviceRole('account'));
    cleanup.add(async () => producer.close());
    const maintenance = await open(maintenanceRole('account'));
    cleanup.add(async () => maintenance.close());
    const line = new EventLine(server, urlOf, broker.brokers.join(), producer, maintenance);
    await createTopics(line.config);
    cleanup.add(async () => line.stopRelay());
    return line;
  }

  async startConsumer(): Promise<ChildProcess> {
    const child = fork(
      join(import.meta.dirname, 'consumer.js'),
      [this.urlOf(serviceRole('entitlement'))],
      { env: this.settings, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    cleanup.add(() => child.kill('SIGKILL'));
    await once(child, 'message');
    return child;
  }

  async startRelay(): Promise<void> {
    this.transport = this.openTransport();
    await this.transport.startRelay('account', this.maintenance);
  }

  async stopRelay(): Promise<void> {
    await this.transport?.close();
    this.transport = undefined;
  }

  /** Commits events at a given rate, or as fast as possible. */
  async say(count: number, perSecond?: number): Promise<void> {
    const outbox = new Outbox('account', new SystemClock(), this.transport ?? this.openTransport());
    const startedMs = performance.now();
    let said = 0;
    const write = async () => {
      while (said < count) {
        const dueMs = perSecond ? startedMs + (said * 1000) / perSecond : 0;
        said += EVENTS_PER_TRANSACTION;
        await sleep(Math.max(0, dueMs - performance.now()));
        await this.sayTogether(outbox);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  /** Milliseconds from just before a commit to the handler, by the database's clock. */
  async latencies(count: number, perSecond: number): Promise<{ p99Ms: number; maxMs: number }> {
    const [{ from }] = await this.ask<{ from: string }>('select clock_timestamp()::text as from');
    await this.say(count, perSecond);
    await this.allHeard();
    const [row] = await this.ask<{ p99: number; max: number }>(
      `select percentile_disc(0.99) within group (order by ms)::float8 as p99, max(ms)::float8 as max
       from (select extract(epoch from heard.at - said.at) * 1000 as ms
             from said join entitlement.heard using (key) where said.at >= $1) as times`,
      [from],
    );
    return { p99Ms: row.p99, maxMs: row.max };
  }

  /** @returns the milliseconds until everything is sent. */
  async relayAll(): Promise<number> {
    await this.startRelay();
    const startedMs = performance.now();
    const isSent = async () => {
      const sql = 'select count(*)::int as unsent from account.outbox where sent_at is null';
      return (await this.ask<{ unsent: number }>(sql))[0].unsent === 0;
    };
    await this.until('everything to be sent', isSent);
    return performance.now() - startedMs;
  }

  /** Events a second, from the first of the newest `count` to the last. */
  async consumptionOf(count: number): Promise<number> {
    await this.allHeard();
    const [{ seconds }] = await this.ask<{ seconds: number }>(
      `select extract(epoch from max(at) - min(at))::float8 as seconds
       from (select at from entitlement.heard order by at desc limit $1) as newest`,
      [count],
    );
    return count / seconds;
  }

  private async allHeard(): Promise<void> {
    const sql = `select (select count(*) from said) = (select count(*) from entitlement.heard) as all`;
    await this.until(
      'every event to be handled',
      async () => (await this.ask<{ all: boolean }>(sql))[0].all,
    );
  }

  /** Polls rarely, because counting slows down what is measured. */
  private async until(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const startedMs = performance.now();
    while (!(await isDone())) {
      if (performance.now() - startedMs > DRAIN_MS) throw new Error(`timed out: ${what}`);
      await sleep(LOOK_EVERY_MS);
    }
  }

  private async sayTogether(outbox: Outbox): Promise<void> {
    await this.producer.transaction(async (transaction) => {
      for (let n = 0; n < EVENTS_PER_TRANSACTION; n++) {
        const key = newId();
        const lock = await outbox.lock(transaction, { key, aggregate: `account:${key}` });
        await outbox.add(transaction, lock, AccountRegistered, { trialClaim: 'a'.repeat(64) });
        await transaction.query('insert into public.said values ($1, clock_timestamp())', [key]);
      }
    });
  }

  private async ask<T extends object>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return withClient(this.server.url('bench'), async (client) => {
      return (await client.query<T>(sql, parameters)).rows;
    });
  }

  private openTransport(): KafkaTransport {
    const logger = new Logger('bench', process.stderr, 'error');
    const onDeath = (error: Error) => void process.stderr.write(`    ${error.message}\n`);
    return new KafkaTransport({ config: this.config, logger, onDeath });
  }

  private get config(): EventsConfig {
    return loadConfig(EventsConfig, this.settings);
  }

  private get settings(): Record<string, string> {
    return { KAFKA_BROKERS: this.brokers, KAFKA_TOPIC_REPLICATION: '1' };
  }
}
