import { Controller, type DynamicModule, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CustomStrategy, Ctx, Payload } from '@nestjs/microservices';
import { IsInt, IsString } from 'class-validator';
import { type EventClass, type EventEnvelope, EventType } from '#libs/contracts';
import { type Database, Transaction, withClient } from '#libs/database';
import { Logger, newId } from '#libs/platform';
import { TestClock, TestDatabase } from '#test/environment';
import type { EventTransport } from '../event-transport.js';
import { Consumes, Watches } from '../inbox/consumes.js';
import { Outbox } from '../outbox/outbox.js';
import { FailedEvent } from '../failed-events/failed-event.entity.js';
import { FailedEvents } from '../failed-events/failed-events.js';

@EventType({ type: 'account.counted', version: 1, kind: 'delta' })
export class Counted {
  @IsInt()
  n: number;
}

@EventType({ type: 'account.snapshot-taken', version: 1, kind: 'state' })
export class SnapshotTaken {
  @IsInt()
  n: number;
}

@EventType({ type: 'account.oddly-named', version: 1, kind: 'delta' })
export class OddlyNamed {
  @IsInt()
  n: number;
  @IsString()
  key: string;
  @IsString()
  value: string;
  @IsString()
  headers: string;
  @IsInt()
  partition: number;
  @IsString()
  topic: string;
}

type Numbered = { n: number };

/** A consumer with hooks for tests. If `before` throws, the event is not recorded. */
export class RecordingConsumer {
  /** Numbers of the events that reached a handler, including those that it refused. */
  readonly tries: number[] = [];
  readonly watched: number[] = [];
  before: (event: EventEnvelope<Numbered>) => void = () => {};
  during: (transaction: Transaction) => Promise<void> = async () => {};
  whenWatched: (event: EventEnvelope<Numbered>) => void = () => {};

  async record(event: EventEnvelope<Numbered>, transaction: Transaction): Promise<void> {
    this.tries.push(event.data.n);
    this.before(event);
    await transaction.query('insert into heard (key, n, data) values ($1, $2, $3)', [
      event.key,
      event.data.n,
      JSON.stringify(event.data),
    ]);
    await this.during(transaction);
  }
}

@Controller()
class OnCountedConsumer {
  constructor(private readonly recorder: RecordingConsumer) {}

  @Consumes(Counted)
  handle(@Payload() event: EventEnvelope<Counted>, @Ctx() transaction: Transaction): Promise<void> {
    return this.recorder.record(event, transaction);
  }

  @Watches(Counted)
  async watch(@Payload() event: EventEnvelope<Counted>): Promise<void> {
    this.recorder.watched.push(event.data.n);
    this.recorder.whenWatched(event);
  }
}

@Controller()
class OnSnapshotTakenConsumer {
  constructor(private readonly recorder: RecordingConsumer) {}

  @Consumes(SnapshotTaken)
  handle(
    @Payload() event: EventEnvelope<SnapshotTaken>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    return this.recorder.record(event, transaction);
  }
}

@Controller()
class OnOddlyNamedConsumer {
  constructor(private readonly recorder: RecordingConsumer) {}

  @Consumes(OddlyNamed)
  handle(
    @Payload() event: EventEnvelope<OddlyNamed>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    return this.recorder.record(event, transaction);
  }
}

@Module({})
class ConsumerModule {}

/** Returns a service with a handler for each event used here. */
export function consumerModule(recorder: RecordingConsumer): DynamicModule {
  return {
    module: ConsumerModule,
    controllers: [OnCountedConsumer, OnSnapshotTakenConsumer, OnOddlyNamedConsumer],
    providers: [{ provide: RecordingConsumer, useValue: recorder }],
  };
}

/** Discards log lines, because a contract suite provokes failures on purpose. */
export const quietLogger = new Logger('contract', { write: () => {} });

/** One producer (account) and one consumer (entitlement), each with a real database. */
export class MessagingHarness {
  readonly failedEvents: FailedEvents;
  /** An outbox that does not wake the relay, so that the relay's own poll finds the events. */
  private readonly outbox: Outbox;

  private constructor(
    readonly test: TestDatabase,
    readonly producer: Database,
    readonly maintenance: Database,
    readonly consumer: Database,
  ) {
    this.failedEvents = new FailedEvents(consumer);
    const transport = { wake: () => {} } as Partial<EventTransport> as EventTransport;
    this.outbox = new Outbox('account', new TestClock(), transport);
  }

  static async open(): Promise<MessagingHarness> {
    const test = await TestDatabase.create();
    await withClient(test.url('entitlement_owner'), (client) =>
      client.query('create table heard (n_th bigserial, key text, n integer, data json)'),
    );
    return new MessagingHarness(
      test,
      await test.service('account'),
      await test.maintenance('account'),
      await test.service('entitlement', [FailedEvent]),
    );
  }

  close(): Promise<void> {
    return this.test.drop();
  }

  /** Commits one event with this key. The aggregate is `thing:<key>`. */
  async say<T extends object>(eventClass: EventClass<T>, key: string, data: T): Promise<void> {
    await this.producer.transaction(async (transaction) => {
      const lock = await this.outbox.lock(transaction, { key, aggregate: `thing:${key}` });
      await this.outbox.add(transaction, lock, eventClass, data);
    });
  }

  /** Commits an outbox row of a type without an event class. */
  async sayUnknown(key: string): Promise<void> {
    await this.producer.query(
      `insert into outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data)
       values ($1, 3, $2, $2, 1, 'account.not-yet-invented', 1, now(), '{}')`,
      [newId(), key],
    );
  }

  async startConsumer(
    strategy: CustomStrategy['strategy'],
    recorder: RecordingConsumer,
  ): Promise<INestMicroservice> {
    const app = await NestFactory.createMicroservice<CustomStrategy>(consumerModule(recorder), {
      strategy,
      logger: false,
      abortOnError: false,
    });
    await app.listen();
    return app;
  }

  /** Returns the numbers recorded for a key, in the order in which their transactions wrote them. */
  async heard(key: string): Promise<number[]> {
    const rows = await this.consumer.query<{ n: number }>(
      'select n from heard where key = $1 order by n_th',
      [key],
    );
    return rows.map(({ n }) => n);
  }

  async heardData(key: string): Promise<object[]> {
    const rows = await this.consumer.query<{ data: object }>(
      'select data from heard where key = $1 order by n_th',
      [key],
    );
    return rows.map(({ data }) => data);
  }

  async unsent(): Promise<number> {
    const [{ count }] = await this.producer.query<{ count: number }>(
      'select count(*)::int as count from outbox where sent_at is null',
    );
    return count;
  }

  /** Relays every event of a key once more, as after a crash before the rows were marked. */
  async relayAgain(key: string): Promise<void> {
    await this.producer.query('update outbox set sent_at = null where key = $1', [key]);
  }

  async cutConnection(pid: number): Promise<void> {
    await withClient(this.test.url(), (client) =>
      client.query('select pg_terminate_backend($1)', [pid]),
    );
  }

  /** Ends the leases of all buckets, as after 6 s without a relay. */
  async expireLeases(): Promise<void> {
    await this.maintenance.query(`update outbox_bucket set lease_until = '-infinity'`);
  }
}
