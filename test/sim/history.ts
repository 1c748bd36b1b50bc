import { AllowanceChanged, CreditsLow, type EventClass, type EventEnvelope } from '#libs/contracts';
import type { MaintenanceDatabase, Transaction } from '#libs/database';
import {
  EventConsumer,
  type EventMessage,
  Outbox,
  Relay,
  ServiceEventCounts,
} from '#libs/messaging';
import { Logger, SystemClock, newId } from '#libs/platform';
import { Broker } from './broker.js';
import { type Command, MemoryDatabase, type Statement } from './memory-database.js';
import { type Sabotage, messagingStatements } from './messaging-statements.js';
import { Actor, type World } from './world.js';

const WORK_MS = 4_000;
// Longer than any wait, such as a relay's lease or the pause before a failed event is retried.
const DRAIN_MS = 1_800_000;
const ON_ITS_WAY_MS = 3_000;
/** From this time, only handlers that always fail still fail. A failed event is retried up to ten minutes later. */
const RECOVERED_AT_MS = 90_000;
/** The prefix of aggregates whose events are snapshots; the events of other aggregates are deltas. */
const STATE = 'allowance:';
const silent = new Logger('simulation', { write: () => {} }, 'silent');

/**
 * Simulates commands of two producers in one outbox, two relays, a broker and two members of a consumer group. Every
 * acknowledged command must be applied once and in order, no matter how often an actor dies.
 */
export class History {
  private readonly accounts: string[];
  private readonly producer: MemoryDatabase;
  private readonly consumer: MemoryDatabase;
  private readonly broker: Broker;
  private readonly acknowledged: number[] = [];
  /** How often the handler of a command's event fails before it succeeds; Infinity if it always fails. */
  private readonly failures = new Map<number, number>();
  private readonly attempts = new Map<number, number>();

  constructor(
    private readonly world: World,
    private readonly commands: number,
    private readonly sabotage: Sabotage | undefined,
  ) {
    const statements = [...messagingStatements(sabotage), INSERT_COMMAND];
    this.producer = new MemoryDatabase(world, statements);
    this.consumer = new MemoryDatabase(world, statements);
    this.accounts = Array.from({ length: 3 }, () => newId());
    this.broker = new Broker(world, ({ body }) => body.includes(STATE));
  }

  async run(): Promise<void> {
    const send = Relay.prototype['send'];
    if (this.sabotage === 'mark-before-send') markBeforeSend();
    try {
      await this.live();
    } finally {
      Relay.prototype['send'] = send;
    }
  }

  private async live(): Promise<void> {
    const { world } = this;
    for (let number = 1; number <= this.commands; number++) this.planCommand(number);
    for (const actor of [...this.relays, ...this.consumers, ...this.producers]) world.start(actor);
    await world.run(WORK_MS);
    world.heal();
    for (const producer of this.producers) world.kill(producer);
    // Messages of dead actors may still be on the way.
    await world.run(ON_ITS_WAY_MS);
    await world.run(DRAIN_MS, () => this.isSent);
    // Actors without work would only lengthen the rest of the history.
    for (const idle of [...this.relays, this.consumers[1]]) world.kill(idle);
    const isDrained = await world.run(DRAIN_MS, () => this.isDrained);
    if (!isDrained) world.violate('the outbox, the log or the failed events were not drained');
    this.judge();
  }

  private readonly relays = [1, 2].map(() => new Actor(() => this.bootRelay()));
  private readonly consumers = [1, 2].map(() => new Actor((self) => this.bootConsumer(self)));
  private readonly producers = [1, 2].map(() => new Actor(() => {}));

  private planCommand(number: number): void {
    const { random } = this.world;
    const account = random.pick(this.accounts);
    const aggregate = `${random.chance(0.4) ? STATE : 'credits:'}${account}`;
    if (this.world.strikes('handler', 0.12)) {
      const failures = random.chance(0.05) ? 6 : random.between(1, 5);
      this.failures.set(number, random.chance(0.2) ? Infinity : failures);
    }
    const actor = random.pick(this.producers);
    const attempt = () => {
      // An unacknowledged command is not repeated, because that is the caller's decision.
      void this.write(account, { number, aggregate }).then(
        () => this.acknowledged.push(number),
        () => {},
      );
    };
    this.world.at(random.next() * WORK_MS * 0.8, undefined, () => {
      if (actor.isUp) this.world.at(0, actor, attempt);
    });
  }

  private async write(key: string, command: Command): Promise<void> {
    const outbox = new Outbox('entitlement', new SystemClock(), { wake: () => {} } as never);
    await this.producer.port.transaction(async (transaction) => {
      const { aggregate } = command;
      const lock = await outbox.lock(transaction, { key, aggregate });
      await transaction.query(INSERT_COMMAND.begins, [command]);
      const number = String(command.number);
      await (aggregate.startsWith(STATE)
        ? outbox.add(transaction, lock, AllowanceChanged, { version: number })
        : outbox.add(transaction, lock, CreditsLow, { threshold: 20, remaining: number }));
    });
  }

  private bootRelay(): void {
    new Relay({
      producer: 'entitlement',
      database: this.producer.port as unknown as MaintenanceDatabase,
      logger: silent,
      counts: new ServiceEventCounts(),
      publish: async (messages: EventMessage[]) => this.broker.publish(messages),
    }).start();
  }

  private bootConsumer(actor: Actor): void {
    const handle = async (event: EventEnvelope, transaction?: Transaction) =>
      this.handle(event, transaction as Transaction);
    const consumer = new EventConsumer({
      consumer: 'worker',
      database: this.consumer.port,
      handlers: new Map<EventClass, typeof handle>([
        [AllowanceChanged, handle],
        [CreditsLow, handle],
      ]),
      logger: silent,
      counts: new ServiceEventCounts(),
    });
    consumer.start();
    this.broker.join(actor, consumer);
  }

  private async handle(event: EventEnvelope, transaction: Transaction): Promise<void> {
    const number = numberOf(event.data);
    const attempts = (this.attempts.get(number) ?? 0) + 1;
    this.attempts.set(number, attempts);
    const failures = this.failures.get(number) ?? 0;
    if (failures === Infinity) {
      throw Object.assign(new Error('refused'), { code: '23514', severity: 'ERROR' });
    }
    const isRecovered = this.world.nowMs >= RECOVERED_AT_MS;
    if (!isRecovered && attempts <= failures) throw new Error('not now');
    await transaction.query(INSERT_COMMAND.begins, [{ number, aggregate: event.aggregate }]);
  }

  private get isSent(): boolean {
    return [...this.producer.outbox.values()].every(({ sentAtMs }) => sentAtMs !== undefined);
  }

  private get isDrained(): boolean {
    const failed = [...this.consumer.failedEvents.values()];
    return this.isSent && this.broker.isIdle && failed.every(({ state }) => state !== 'retrying');
  }

  private judge(): void {
    const { world } = this;
    const committed = this.producer.commands.map(({ number }) => number);
    if (this.acknowledged.some((number) => !committed.includes(number))) {
      world.violate('an acknowledged command is gone');
    }
    const outbox = [...this.producer.outbox.values()].toSorted(
      (a, b) => Number(a.sequence) - Number(b.sequence),
    );
    if (outbox.length !== committed.length) world.violate('a command and its event differ');
    const applied = this.consumer.commands;
    const said = Map.groupBy(outbox, ({ aggregate }) => aggregate);
    for (const [aggregate, rows] of said) {
      const numbers = rows.map(({ data }) => numberOf(JSON.parse(data) as object));
      const done = applied.filter((row) => row.aggregate === aggregate).map(({ number }) => number);
      this.judgeAggregate(aggregate, numbers, done);
    }
  }

  /**
   * Checks that events were applied once and in order: at least the newest snapshot, and every delta except those that
   * always fail, which must not block others.
   */
  private judgeAggregate(aggregate: string, said: number[], done: number[]): void {
    const places = done.map((number) => said.indexOf(number));
    if (places.some((place, i) => i > 0 && place <= places[i - 1])) {
      this.world.violate(`${aggregate.split(':')[0]}: an event was applied twice or out of order`);
    }
    const required = aggregate.startsWith(STATE) ? said.slice(-1) : said;
    const isLost = (number: number) =>
      this.failures.get(number) !== Infinity && !done.includes(number);
    if (required.some(isLost)) this.world.violate('an event is lost');
  }
}

const INSERT_COMMAND: Statement = {
  begins: 'insert into commands',
  run({ commands }, [command]: [Command], write) {
    write(() => commands.push(command));
  },
};

function numberOf(data: { version?: string; remaining?: string }): number {
  return Number(data.version ?? data.remaining);
}

function markBeforeSend(): void {
  const send = Relay.prototype['send'];
  Relay.prototype['send'] = async function (owned, rows) {
    const ids = rows.map(({ id }) => id);
    await this['outbox'].markSent(owned, ids).catch(() => {});
    await send.call(this, owned, rows);
  };
}
