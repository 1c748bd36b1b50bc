import type { EventConsumer, EventMessage } from '#libs/messaging';
import type { Actor, World } from './world.js';

interface Partition {
  log: EventMessage[];
  /** The position of the first message that has not been acknowledged. */
  offset: number;
  /** The position of the first message that has never been read. Messages that were read keep their position. */
  unread: number;
  owner?: Member;
  isBusy: boolean;
}

interface Member {
  actor: Actor;
  life: number;
  consumer: EventConsumer;
}

const BUCKETS = 16;
const BATCH_MAX = 5;
const RETRY_MS = 300;
const SESSION_MS = 1_000;

/**
 * A simulated transport between one producer and one consumer group: partitioned logs with at-least-once delivery. It
 * repeats messages, reassigns partitions while the old owner is still working, rewinds, and drops and redelivers
 * messages. Like Kafka, it preserves only the order of an account's deltas.
 */
export class Broker {
  private readonly partitions: Partition[] = Array.from({ length: BUCKETS }, () => ({
    log: [],
    offset: 0,
    unread: 0,
    isBusy: false,
  }));
  private members: Member[] = [];

  constructor(
    private readonly world: World,
    private readonly isState: (message: EventMessage) => boolean,
  ) {
    world.whenDead((actor) => world.at(SESSION_MS, undefined, () => this.leave(actor)));
  }

  /** Stores the relay's messages. This sometimes fails although some or all of them are stored. */
  async publish(messages: EventMessage[]): Promise<void> {
    const { world } = this;
    const isCutShort = world.strikes('lose', 0.03);
    const isAnswerLost = world.strikes('lose', 0.03);
    await world.reach(() => {
      const safe = isCutShort ? messages.slice(0, messages.length / 2) : messages;
      for (const message of safe) this.append(message);
      if (isCutShort || isAnswerLost) throw new Error('the broker did not answer');
    });
  }

  join(actor: Actor, consumer: EventConsumer): void {
    this.members.push({ actor, life: actor.life, consumer });
    for (const bucket of this.partitions.keys()) this.assign(bucket);
  }

  get isIdle(): boolean {
    return this.partitions.every(({ log, offset, isBusy }) => offset === log.length && !isBusy);
  }

  private append(message: EventMessage): void {
    const { world } = this;
    const { log, unread } = this.partitions[message.bucket];
    const copies = world.strikes('duplicate', 0.1) ? world.random.between(2, 5) : 1;
    for (let copy = 0; copy < copies; copy++) log.push(message);
    const last = log.length - 1;
    const before = log[last - 1];
    const areStates = () => this.isState(before) && this.isState(message);
    const mayPass = before && (before.key !== message.key || areStates());
    if (mayPass && last > unread && world.strikes('reorder', 0.3)) {
      [log[last - 1], log[last]] = [message, before];
    }
    this.pumpSoon(message.bucket);
  }

  private assign(bucket: number): void {
    const partition = this.partitions[bucket];
    partition.owner = this.members.length > 0 ? this.world.random.pick(this.members) : undefined;
    // The new owner starts at once, although the old owner may still be working.
    partition.isBusy = false;
    this.pumpSoon(bucket);
  }

  private leave(actor: Actor): void {
    this.members = this.members.filter((member) => member.life === member.actor.life);
    for (const [bucket, { owner }] of this.partitions.entries()) {
      if (owner?.actor === actor && owner.life !== actor.life) this.assign(bucket);
    }
  }

  private pumpSoon(bucket: number): void {
    this.world.at(this.world.travelMs(), undefined, () => this.pump(bucket));
  }

  private pump(bucket: number): void {
    const { world } = this;
    const partition = this.partitions[bucket];
    const { owner, log } = partition;
    if (!owner || partition.isBusy || partition.offset === log.length) return;
    if (world.strikes('reorder', 0.03)) return this.assign(bucket);
    if (world.strikes('duplicate', 0.05)) {
      partition.offset = Math.max(0, partition.offset - world.random.between(1, 5));
    }
    if (world.strikes('lose', 0.05))
      return void world.at(RETRY_MS, undefined, () => this.pump(bucket));
    const start = partition.offset;
    const messages = log.slice(start, start + world.random.between(1, BATCH_MAX));
    partition.isBusy = true;
    partition.unread = Math.max(partition.unread, start + messages.length);
    const isCurrent = () => partition.owner === owner;
    const taken = () => {
      if (!isCurrent()) return;
      partition.isBusy = false;
      if (!world.strikes('lose', 0.05)) partition.offset = start + messages.length;
      this.pumpSoon(bucket);
    };
    const refused = () => {
      if (!isCurrent()) return;
      partition.isBusy = false;
      world.at(RETRY_MS, undefined, () => this.pump(bucket));
    };
    world.at(0, owner.actor, () => void owner.consumer.deliver(messages).then(taken, refused));
  }
}
