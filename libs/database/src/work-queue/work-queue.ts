import {
  type Clock,
  DAY_MS,
  HOUR_MS,
  type Job,
  type Logger,
  MINUTE_MS,
  SECOND_MS,
  newId,
} from '#libs/platform';
import type { Database } from '../database.js';
import type { Transaction } from '../transaction.js';
import { type DeadWork, type WorkItem, WorkQueueRepository } from './work-queue.repository.js';

/** Thrown by a handler: no repetition can help, an operator has to look. */
export class WorkIsHopeless extends Error {}

/** Thrown to a handler that took longer than its claim: somebody else does the work by now. */
export class ClaimLost extends Error {}

export interface WorkQueueOptions<T extends object> {
  /** Names the queue in its table and in the log. */
  name: string;
  /** The service's own role. */
  database: Database;
  clock: Clock;
  logger: Logger;
  /**
   * Does one piece of work. It may talk to the outside: no transaction is open. When its effect is in
   * this database, it calls `finish` in the transaction of that effect, and both happen or neither.
   * @throws WorkIsHopeless for what is dead at once; anything else is tried again.
   */
  handle(item: WorkItem<T>): Promise<void>;
  /** Pauses after each failed try; after the last one the work is dead. */
  backOffMs?: readonly number[];
  /** Longest one try may take. */
  claimMs?: number;
  /** Tries at a time in this process. */
  concurrency?: number;
}

const BACK_OFF_MS: readonly number[] = [
  ...[5, 15].map((seconds) => seconds * SECOND_MS),
  ...[1, 5, 15].map((minutes) => minutes * MINUTE_MS),
  ...[1, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 1].map((days) => days * DAY_MS),
];
const CLAIM_MS = 2 * MINUTE_MS;
const CONCURRENCY = 4;
const CLAIMED_AT_ONCE = 1;
const DEAD_SHOWN_MAX = 200;
const REASON_MAX = 1_000;

/**
 * Work that survives the process: added in the transaction that makes it necessary, done at least once
 * by whichever process claims it, tried again with growing pauses, and dead (with an alarm) in the end.
 * `runOnce` does what is due; schedule it, and call it when work was added.
 */
export class WorkQueue<T extends object> implements Job {
  readonly name: string;
  private readonly items: WorkQueueRepository;
  private running?: Promise<void>;

  constructor(private readonly options: WorkQueueOptions<T>) {
    this.name = `work: ${options.name}`;
    this.items = new WorkQueueRepository(options.name);
  }

  /**
   * Adds work, to be done once the transaction has committed.
   * @param name what it is about: work of a name that is known already is not added again.
   * @param delayMs how long it may wait first.
   * @returns false when work of this name is waiting or dead.
   */
  async add(transaction: Transaction, name: string, payload: T, delayMs = 0): Promise<boolean> {
    const now = this.options.clock.now();
    const dueAt = new Date(now.getTime() + delayMs);
    return this.items.insert(transaction, { id: newId(), name, payload, now, dueAt });
  }

  /**
   * For the handler: ends its work together with the effect.
   * @throws ClaimLost when the claim has ended: the effect must not happen here.
   */
  async finish(transaction: Transaction, item: WorkItem): Promise<void> {
    if (!(await this.items.delete(transaction, item))) throw new ClaimLost(item.name);
  }

  /** Does all due work, several items at a time; returns when nothing is left to claim. */
  async runOnce(): Promise<void> {
    this.running ??= this.drain().finally(() => (this.running = undefined));
    await this.running;
  }

  /** Dead work, oldest first, for the operator. */
  async listDead(): Promise<DeadWork[]> {
    return this.items.listDead(this.options.database, DEAD_SHOWN_MAX);
  }

  /** Lets dead or waiting work be tried at once. @returns false when there is none of this name. */
  async redrive(name: string): Promise<boolean> {
    return this.items.redrive(this.options.database, name, this.options.clock.now());
  }

  /** Gives up dead work. @returns false when there is no dead work of this name. */
  async discard(name: string): Promise<boolean> {
    return this.items.discard(this.options.database, name);
  }

  /** How much waits, how much is dead, and how late the oldest due work is, for metrics. */
  async count(): Promise<{ waiting: number; dead: number; lateMs: number }> {
    return this.items.count(this.options.database, this.options.clock.now());
  }

  private async drain(): Promise<void> {
    const { concurrency = CONCURRENCY } = this.options;
    const hands = Array.from({ length: concurrency }, async () => {
      while (await this.doNext());
    });
    const ends = await Promise.allSettled(hands);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** @returns false when nothing is due. */
  private async doNext(): Promise<boolean> {
    const { database, clock, claimMs = CLAIM_MS } = this.options;
    const now = clock.now();
    const claim = { claim: newId(), now, limit: CLAIMED_AT_ONCE, claimMs };
    const [item] = await this.items.claim<T>(database, claim);
    if (item === undefined) return false;
    try {
      await this.options.handle(item);
      // The handler may have finished it itself.
      await this.items.delete(database, item);
    } catch (error) {
      await this.fail(item, error);
    }
    return true;
  }

  private async fail(item: WorkItem<T>, error: unknown): Promise<void> {
    const { name, database, clock, logger, backOffMs = BACK_OFF_MS } = this.options;
    const pauseMs = error instanceof WorkIsHopeless ? undefined : backOffMs.at(item.attempts - 1);
    const reason = String(error).slice(0, REASON_MAX);
    const dueAt = pauseMs === undefined ? undefined : new Date(clock.now().getTime() + pauseMs);
    await this.items.putFailure(database, item, reason, dueAt);
    const fields = { name: item.name, attempts: item.attempts, err: error };
    if (dueAt === undefined) logger.error(`work of ${name} is dead`, fields);
    else logger.warn(`work of ${name} failed and is tried again`, fields);
  }
}
