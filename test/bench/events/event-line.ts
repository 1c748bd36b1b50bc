import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CustomStrategy, Ctx, Payload } from '@nestjs/microservices';
import { AccountRegistered, type EventEnvelope } from '#libs/contracts';
import { Database, Transaction, withClient } from '#libs/database';
import { Consumes, type EventTransport, InProcessTransport, Outbox } from '#libs/messaging';
import { Logger, SystemClock, newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { openPostgres } from '../bench.js';
import { cleanup } from '../cleanup.js';

const WRITERS = 8;
const DRAIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** A transport that never wakes the relay. */
const IDLE = new InProcessTransport({ logger: new Logger('bench'), consumers: {} });

@Controller()
class OnAccountRegisteredConsumer {
  @Consumes(AccountRegistered)
  async handle(
    @Payload() event: EventEnvelope<AccountRegistered>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await transaction.query('insert into heard (key) values ($1)', [event.key]);
  }
}

@Module({})
class ConsumerModule {}

/** Receives events as entitlement does, in this process, and records each with the database's time. */
export async function consume(transport: EventTransport, url: string): Promise<void> {
  const database = await Database.open({ url, applicationName: 'bench consumer' });
  const app = await NestFactory.createMicroservice<CustomStrategy>(
    { module: ConsumerModule, controllers: [OnAccountRegisteredConsumer] },
    { strategy: transport.strategyFor('entitlement', database), logger: false },
  );
  await app.listen();
  cleanup.add(async () => {
    await app.close();
    await database.close();
  });
}

/** How events are committed: together in transactions, and evenly over time if a rate is given. */
export interface Saying {
  perTransaction: number;
  perSecond?: number;
}

/** Sends and receives events: a producer's database on a durable server, its relay, and the times of its events. */
export class EventLine {
  private transport?: EventTransport;

  private constructor(
    private readonly test: TestDatabase,
    private readonly producer: Database,
    private readonly maintenance: Database,
  ) {}

  static async open(): Promise<EventLine> {
    await openPostgres();
    const test = await TestDatabase.create();
    cleanup.add(() => test.drop());
    const [producer, maintenance] = [
      await test.service('account'),
      await test.maintenance('account'),
    ];
    const line = new EventLine(test, producer, maintenance);
    await line.ask(TABLES);
    cleanup.add(() => line.stopRelay());
    return line;
  }

  /** The database as the consumer's role. */
  get consumerUrl(): string {
    return this.test.url('entitlement');
  }

  async startRelay(transport: EventTransport): Promise<void> {
    this.transport = transport;
    await transport.startRelay('account', this.maintenance);
  }

  async stopRelay(): Promise<void> {
    await this.transport?.close();
    this.transport = undefined;
  }

  /** Commits events of different accounts. */
  async say(count: number, { perTransaction, perSecond }: Saying): Promise<void> {
    const outbox = new Outbox('account', new SystemClock(), this.transport ?? IDLE);
    const startedMs = performance.now();
    let said = 0;
    const write = async () => {
      while (said < count) {
        const dueMs = perSecond ? startedMs + (said * 1000) / perSecond : 0;
        said += perTransaction;
        await sleep(Math.max(0, dueMs - performance.now()));
        await this.sayTogether(outbox, perTransaction);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  /** Milliseconds from just before each commit to the end of its handler, by the database's clock. */
  async latencies(count: number, saying: Saying): Promise<number[]> {
    const [{ from }] = await this.ask<{ from: string }>('select clock_timestamp()::text as from');
    await this.say(count, saying);
    await this.allHeard();
    const rows = await this.ask<{ ms: number }>(
      `select extract(epoch from heard.at - said.at)::float8 * 1000 as ms
       from said join entitlement.heard using (key) where said.at >= $1`,
      [from],
    );
    return rows.map(({ ms }) => ms);
  }

  async allSent(): Promise<void> {
    await this.until('everything to be sent', 'select from account.outbox where sent_at is null');
  }

  async allHeard(): Promise<void> {
    const counts = '(select count(*) from said) <> (select count(*) from entitlement.heard)';
    await this.until('every event to be handled', `select where ${counts}`);
  }

  /** Events per second, from the first of the newest `count` to the last. */
  async consumptionOf(count: number): Promise<number> {
    await this.allHeard();
    const [{ seconds }] = await this.ask<{ seconds: number }>(
      `select extract(epoch from max(at) - min(at))::float8 as seconds
       from (select at from entitlement.heard order by at desc limit $1) as newest`,
      [count],
    );
    return count / seconds;
  }

  /** Resolves when a query finds nothing. Polls rarely, because counting slows down the measured work. */
  private async until(what: string, left: string): Promise<void> {
    const startedMs = performance.now();
    while ((await this.ask(`${left} limit 1`)).length > 0) {
      if (performance.now() - startedMs > DRAIN_MS) throw new Error(`timed out: ${what}`);
      await sleep(LOOK_EVERY_MS);
    }
  }

  private async sayTogether(outbox: Outbox, count: number): Promise<void> {
    await this.producer.transaction(async (transaction) => {
      for (let n = 0; n < count; n++) {
        const key = newId();
        const lock = await outbox.lock(transaction, { key, aggregate: `account:${key}` });
        await outbox.add(transaction, lock, AccountRegistered, { trialClaim: 'a'.repeat(64) });
        await transaction.query('insert into public.said values ($1, clock_timestamp())', [key]);
      }
    });
  }

  private ask<T extends object>(sql: string, parameters?: unknown[]): Promise<T[]> {
    return withClient(this.test.url(), async (client) => {
      return (await client.query<T>(sql, parameters)).rows;
    });
  }
}

/** The events that were sent and received. */
const TABLES = `
  create table entitlement.heard (key text primary key, at timestamptz not null default clock_timestamp());
  grant insert on entitlement.heard to entitlement;
  create table said (key text primary key, at timestamptz not null);
  grant insert on said to account; grant usage on schema public to account`;
