import {
  AllowanceChanged,
  CreditsLow,
  type EventClass,
  type EventEnvelope,
  describeEvent,
} from '#libs/contracts';
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
import { MemoryDatabase, type Statement } from './memory-database.js';
import {
  type OutboxRow,
  type FailedEventRow,
  messagingStatements,
} from './messaging-statements.js';
import type { Sabotage } from './sabotage.js';
import { Actor, type World } from './world.js';

interface Command {
  number: number;
  aggregate: string;
  isState: boolean;
}

/** How a handler behaves for one event: it fails this many times and then recovers, or fails always. */
interface Temper {
  failures: number;
  isPermanent: boolean;
}

const WORK_MS = 4_000;
/** Longer than any wait, such as a relay's lease or the pause before a retry of a failed event. */
const DRAIN_MS = 1_800_000;
const ON_ITS_WAY_MS = 3_000;
/** From this time on, handlers no longer fail. An event that failed before is retried up to ten minutes later. */
const RECOVERED_AT_MS = 90_000;
const silent = new Logger('simulation', { write: () => {} }, 'silent');

/**
 * Simulates commands of two producers in one outbox, two relays, a broker and two members of a consumer group. Every
 * acknowledged command is applied once and in order, however often an actor died.
 */
export class History {
  private readonly accounts: string[];
  private readonly producer: MemoryDatabase;
  private readonly consumer: MemoryDatabase;
  private readonly broker: Broker;
  private readonly acknowledged: Command[] = [];
  private readonly tempers = new Map<number, Temper>();
  private readonly attempts = new Map<number, number>();

  constructor(
    private readonly world: World,
    private readonly commands: number,
    private readonly sabotage: Sabotage | undefined,
  ) {
    const statements = messagingStatements(sabotage);
    this.producer = new MemoryDatabase(world, [...statements, insertInto('commands')]);
    this.consumer = new MemoryDatabase(world, [...statements, insertInto('applied')]);
    this.accounts = Array.from({ length: 3 }, () => newId());
    this.broker = new Broker(world, ({ body }) =>
      body.includes(describeEvent(AllowanceChanged).type),
    );
  }

  private begin(): void {
    for (let number = 1; number <= this.commands; number++) this.planCommand(number);
    for (const relay of this.relays) this.world.start(relay);
    for (const consumer of this.consumers) this.world.start(consumer);
    for (const producer of this.producers) this.world.start(producer);
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
    this.begin();
    await this.world.run(WORK_MS);
    this.world.heal();
    for (const producer of this.producers) this.world.kill(producer);
    // The messages of dead actors may still be on the way.
    await this.world.run(ON_ITS_WAY_MS);
    await this.world.run(DRAIN_MS, () => this.isSent);
    // Actors without work would only lengthen the rest of the history.
    for (const idle of [...this.relays, this.consumers[1]]) this.world.kill(idle);
    const isDrained = await this.world.run(DRAIN_MS, () => this.isDrained);
    if (!isDrained) this.world.violate('the outbox, the log or the failed events do not drain');
    this.judge();
  }

  private readonly relays = ['relay-1', 'relay-2'].map(
    (name) => new Actor(name, () => this.bootRelay()),
  );
  private readonly consumers: Actor[] = ['consumer-1', 'consumer-2'].map(
    (name, place) => new Actor(name, () => this.bootConsumer(this.consumers[place])),
  );
  private readonly producers = ['producer-1', 'producer-2'].map(
    (name) => new Actor(name, () => {}),
  );

  private planCommand(number: number): void {
    const { random } = this.world;
    const account = random.pick(this.accounts);
    const isState = random.chance(0.4);
    const aggregate = `${isState ? 'allowance' : 'credits'}:${account}`;
    if (this.world.strikes('handler', 0.12)) {
      const isPermanent = random.chance(0.2);
      const failures = random.chance(0.05) ? 6 : random.between(1, 5);
      this.tempers.set(number, { failures, isPermanent });
    }
    const actor = random.pick(this.producers);
    const command = { number, aggregate, isState };
    const attempt = () => {
      if (!actor.isUp) return;
      // The caller decides this: an unacknowledged command is not repeated.
      void this.write(account, command).then(
        () => this.acknowledged.push(command),
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
      const { aggregate, isState, number } = command;
      const lock = await outbox.lock(transaction, { key, aggregate });
      await transaction.query('insert into commands', [command]);
      if (isState)
        await outbox.add(transaction, lock, AllowanceChanged, { version: String(number) });
      else
        await outbox.add(transaction, lock, CreditsLow, {
          threshold: 20,
          remaining: String(number),
        });
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
    const { version, remaining } = event.data as { version?: string; remaining?: string };
    const number = Number(version ?? remaining);
    const attempts = (this.attempts.get(number) ?? 0) + 1;
    this.attempts.set(number, attempts);
    const temper = this.tempers.get(number);
    if (temper?.isPermanent) {
      throw Object.assign(new Error('refused'), { code: '23514', severity: 'ERROR' });
    }
    const isRecovered = this.world.nowMs >= RECOVERED_AT_MS;
    if (temper && !isRecovered && attempts <= temper.failures) throw new Error('not now');
    const isState = version !== undefined;
    const applied: Command = { number, aggregate: event.aggregate, isState };
    await transaction.query('insert into applied', [applied]);
  }

  private get isSent(): boolean {
    const outbox = [...this.producer.table('outbox').values()] as OutboxRow[];
    return outbox.every(({ sentAtMs }) => sentAtMs !== undefined);
  }

  private get isDrained(): boolean {
    const failed = [...this.consumer.table('failed_event').values()] as FailedEventRow[];
    return this.isSent && this.broker.isIdle && failed.every(({ state }) => state !== 'retrying');
  }

  private judge(): void {
    const { world } = this;
    const committed = new Set(
      ([...this.producer.table('commands').values()] as Command[]).map(({ number }) => number),
    );
    if (this.acknowledged.some(({ number }) => !committed.has(number))) {
      world.violate('an acknowledged command is gone');
    }
    const outbox = ([...this.producer.table('outbox').values()] as OutboxRow[]).toSorted(
      (a, b) => Number(a.sequence) - Number(b.sequence),
    );
    if (outbox.length !== committed.size) world.violate('a command and its event differ');
    const applied = [...this.consumer.table('applied').values()] as Command[];
    const said = Map.groupBy(outbox, ({ aggregate }) => aggregate);
    for (const [aggregate, rows] of said) {
      const numbers = rows.map(({ data }) => numberOf(data));
      const done = applied.filter((row) => row.aggregate === aggregate).map(({ number }) => number);
      if (aggregate.startsWith('credits:')) this.judgeDeltas(numbers, done);
      else this.judgeStates(numbers, done);
    }
  }

  /**
   * Checks that each delta is applied once and in order, and that deltas that always fail are dead and block no others.
   */
  private judgeDeltas(said: number[], done: number[]): void {
    const expected = said.filter((number) => !this.tempers.get(number)?.isPermanent);
    if (new Set(done).size < done.length) this.world.violate('a command was applied twice');
    if (expected.some((number) => !done.includes(number))) this.world.violate('a command is lost');
    const isInOrder = String(done) === String(expected.filter((number) => done.includes(number)));
    if (!isInOrder) this.world.violate('commands of an aggregate were applied out of order');
  }

  /** Checks that no snapshot is applied after a newer one and that the newest is applied; others may be skipped. */
  private judgeStates(said: number[], done: number[]): void {
    const possible = said.filter((number) => !this.tempers.get(number)?.isPermanent);
    const places = done.map((number) => said.indexOf(number));
    if (places.some((place, i) => i > 0 && place <= places[i - 1])) {
      this.world.violate('an older snapshot was applied after a newer one');
    }
    const newest = possible.at(-1);
    const isNewestLast = newest === said.at(-1);
    if (isNewestLast && newest !== undefined && done.at(-1) !== newest) {
      this.world.violate('the newest snapshot is not the last one applied');
    }
  }
}

/** The single statement of a handler or a command, which writes its own row. */
function insertInto(table: string): Statement {
  return {
    begins: `insert into ${table}`,
    run(transaction, [command]) {
      transaction.put(table, newId(), command as Command);
      return [];
    },
  };
}

/** The data of both events as written. */
function numberOf(data: string): number {
  const { version, remaining } = JSON.parse(data) as { version?: string; remaining?: string };
  return Number(version ?? remaining);
}

function markBeforeSend(): void {
  const send = Relay.prototype['send'];
  Relay.prototype['send'] = async function (owned, rows) {
    const ids = rows.map(({ id }) => id);
    await this['outbox'].markSent(owned, ids).catch(() => {});
    await send.call(this, owned, rows);
  };
}
