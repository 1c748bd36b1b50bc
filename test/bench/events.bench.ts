import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CustomStrategy, Ctx, Payload } from '@nestjs/microservices';
import { AccountRegistered, type EventEnvelope } from '#libs/contracts';
import { type Database, Transaction, withClient } from '#libs/database';
import {
  Consumes,
  type EventTransport,
  EventsConfig,
  InProcessTransport,
  Outbox,
  createTopics,
  openTransport,
} from '#libs/messaging';
import { Logger, SystemClock, loadConfig, newId } from '#libs/platform';
import { KafkaBroker, TestDatabase, kafkaAvailability, waitFor } from '#test/environment';
import {
  type BenchOptions,
  type BenchReport,
  type BenchRow,
  atLeast,
  newFolder,
  openPostgres,
  timesRows,
} from './bench.js';
import { cleanup } from './cleanup.js';

const WRITERS = 8;
const PER_SECOND_MIN = 3_000;
const CONSUMERS = { account: ['entitlement'] } as const;
const logger = new Logger('bench', process.stderr, 'error');

/**
 * Measures the time from the writing of an event in one service to its handling in another, and the rate of a backlog,
 * in one process and, if a broker can run here, over Kafka.
 */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  const title = 'events: from the outbox to the handler';
  await openPostgres();
  const rows = await inProcess();
  const missing = kafkaAvailability();
  if (missing !== undefined) return { title, rows, notRun: [`events over Kafka: ${missing}`] };
  const [backlog, calm] = isShort ? [5_000, 5_000] : [20_000, 15_000];
  return { title, rows: [...rows, ...(await overKafka(backlog, calm))] };
}

async function inProcess(): Promise<BenchRow[]> {
  const line = await EventLine.open(new InProcessTransport({ logger, consumers: CONSUMERS }));
  await line.say(10_000, 50);
  await line.consume();
  await line.startRelay();
  const { perSecond } = await line.handled();
  // After the backlog, connections are open and code is compiled in this process.
  await line.say(2_000, 1, 200);
  const { times } = await line.handled();
  const what = 'commit → handler at 200 events/s';
  const least = PER_SECOND_MIN;
  return [
    ...timesRows(what, times, 50),
    { what: `${what}, slowest`, value: Math.max(...times), unit: 'ms' },
    atLeast('backlog of 10000 handled, one insert each', perSecond, least, 'events/s'),
  ];
}

/**
 * Measures events over a real broker, first with a backlog and then with a steady rate. A transaction commits five
 * events, as in a busy account service. With one event per transaction, the bench would mainly measure commits.
 */
async function overKafka(backlog: number, calm: number): Promise<BenchRow[]> {
  const starting = KafkaBroker.start({ folder: newFolder('kafka'), isMeasured: true });
  cleanup.add(async () => (await starting).stop());
  const { brokers } = await starting;
  const config = loadConfig(EventsConfig, {
    KAFKA_BROKERS: brokers.join(),
    KAFKA_TOPIC_REPLICATION: '1',
  });
  await createTopics(config);
  const line = await EventLine.open(openTransport({ config, logger }));
  await line.say(backlog, 5);
  const startedMs = performance.now();
  await line.startRelay();
  await line.allSent();
  const relayed = (backlog * 1000) / (performance.now() - startedMs);
  await line.consume();
  const { perSecond } = await line.handled();
  await line.say(calm, 5, 500);
  const { times } = await line.handled();
  return [
    ...timesRows('kafka: commit → handler at 500 events/s', times, 1_000),
    atLeast(`kafka: relay, backlog of ${backlog}`, relayed, PER_SECOND_MIN, 'events/s'),
    atLeast(`kafka: consumer, backlog of ${backlog}`, perSecond, PER_SECOND_MIN, 'events/s'),
  ];
}

/** A producer with its relay, and a consumer that writes a row for each event, on one durable server. */
class EventLine {
  readonly saidMs = new Map<string, number>();
  readonly handledMs = new Map<string, number>();
  private readonly outbox: Outbox;

  private constructor(
    private readonly transport: EventTransport,
    private readonly test: TestDatabase,
    private readonly producer: Database,
  ) {
    this.outbox = new Outbox('account', new SystemClock(), transport);
  }

  static async open(transport: EventTransport): Promise<EventLine> {
    const test = await TestDatabase.create();
    cleanup.add(() => test.drop());
    cleanup.add(() => transport.close());
    await withClient(test.url('entitlement_owner'), (client) =>
      client.query('create table heard (key text primary key)'),
    );
    return new EventLine(transport, test, await test.service('account'));
  }

  async startRelay(): Promise<void> {
    await this.transport.startRelay('account', await this.test.maintenance('account'));
  }

  async consume(): Promise<void> {
    const strategy = this.transport.strategyFor(
      'entitlement',
      await this.test.service('entitlement'),
    );
    const providers = [{ provide: EventLine, useValue: this }];
    const app = await NestFactory.createMicroservice<CustomStrategy>(
      { module: ConsumerModule, controllers: [OnAccountRegisteredConsumer], providers },
      { strategy, logger: false },
    );
    await app.listen();
    cleanup.add(() => app.close());
  }

  /** Commits events of different accounts; with a rate, evenly over time. */
  async say(count: number, perTransaction: number, perSecond = Infinity): Promise<void> {
    const startedMs = performance.now();
    let said = 0;
    const write = async () => {
      while (said < count) {
        const dueMs = startedMs + (said * 1000) / perSecond;
        said += perTransaction;
        await sleep(Math.max(0, dueMs - performance.now()));
        await this.sayTogether(perTransaction);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  private async sayTogether(count: number): Promise<void> {
    await this.producer.transaction(async (transaction) => {
      for (let n = 0; n < count; n++) {
        const key = newId();
        const lock = await this.outbox.lock(transaction, { key, aggregate: `account:${key}` });
        await this.outbox.add(transaction, lock, AccountRegistered, {
          trialClaim: 'a'.repeat(64),
        });
        this.saidMs.set(key, performance.now());
      }
    });
  }

  async allSent(): Promise<void> {
    const { sent } = this.transport.counts.of('account');
    const count = () => sent.get('account.account-registered') ?? 0;
    await waitFor('all to be sent', () => count() >= this.saidMs.size);
  }

  /** Resolves when all events since the last call have been handled, with the milliseconds of each and the rate. */
  async handled(): Promise<{ times: number[]; perSecond: number }> {
    const { saidMs, handledMs } = this;
    await waitFor('every event to be handled', () => handledMs.size === saidMs.size);
    const times = [...handledMs].map(([key, ms]) => ms - saidMs.get(key)!);
    const ends = [...handledMs.values()].toSorted((a, b) => a - b);
    const perSecond = (ends.length * 1000) / (ends.at(-1)! - ends[0]);
    saidMs.clear();
    handledMs.clear();
    return { times, perSecond };
  }
}

@Controller()
class OnAccountRegisteredConsumer {
  constructor(private readonly line: EventLine) {}

  @Consumes(AccountRegistered)
  async handle(
    @Payload() { key }: EventEnvelope<AccountRegistered>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await transaction.query('insert into heard (key) values ($1)', [key]);
    this.line.handledMs.set(key, performance.now());
  }
}

@Module({})
class ConsumerModule {}
