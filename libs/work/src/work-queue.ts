import type { Transaction } from '#libs/database';
import { HOUR_MS, newId } from '#libs/platform';
import { LATER_MAX_SECONDS } from './work-outcome.js';
import { type SqlRunner, WorkRepository, type WorkRow } from './work.repository.js';

/** An item of work to be done once the transaction has committed. */
export interface NewWork<T extends object> {
  /** The subject of the work. New work is not added if work of this name is waiting, running or dead. */
  name: string;
  payload: T;
  /** The account to which the work belongs. Accounts take turns, and erasing an account removes its work. */
  accountId?: string;
  /** The group to which the work belongs, for `cancel` and `remaining`. */
  group?: string;
  /** The lane. The fast lane goes first for at most four of five turns; the default is `normal`. */
  lane?: 'fast' | 'normal';
  /**
   * The part of the account's turn that the item uses, in units of its queue; by default 1, at most the queue's
   * `quantum`.
   */
  cost?: number;
  /** How long the item waits before it is due, at most seven days; 0 by default. */
  delaySeconds?: number;
}

export interface WorkQueueOptions {
  name: string;
  /**
   * The cost that an account may use before the turn of the next account, 1 by default; also the maximum cost of an
   * item.
   */
  quantum?: number;
}

const ROWS_AT_ONCE = 1_000;
const PAUSE_MAX_MS = HOUR_MS;
const LANES = { fast: 1, normal: 2 } as const;

/**
 * A queue of work that survives the process: work is added in the transaction that makes it necessary, and a
 * `WorkRunner` in one of the service's processes does it. The queue is stored in a schema with `workTable`.
 */
export class WorkQueue<T extends object> {
  readonly name: string;
  readonly quantum: number;
  private readonly rows: WorkRepository;
  private readonly onAdded: (() => void)[] = [];
  private readonly onCancelled: ((group: string) => void)[] = [];

  constructor({ name, quantum = 1 }: WorkQueueOptions) {
    this.name = name;
    this.quantum = quantum;
    this.rows = new WorkRepository(name);
  }

  /**
   * Adds an item. @returns false if work of this name is already waiting, running or dead.
   * @throws RangeError for a cost or wait that is out of range.
   */
  async add(transaction: Transaction, work: NewWork<T>): Promise<boolean> {
    return (await this.addAll(transaction, [work])) === 1;
  }

  /** Adds several items. @returns how many were added. @throws RangeError like `add`. */
  async addAll(transaction: Transaction, works: readonly NewWork<T>[]): Promise<number> {
    const rows = works.map((work) => this.rowOf(work));
    let added = 0;
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      added += await this.rows.insertAll(transaction, rows.slice(from, from + ROWS_AT_ONCE));
    }
    this.wakeAfter(transaction);
    return added;
  }

  /**
   * Adds work, or makes existing work of this name due: dead work at once, and waiting work after `delaySeconds` at the
   * latest. Existing work keeps its payload. Running work is repeated afterwards, because it may have read its data
   * before the request.
   * @throws RangeError like `add`.
   */
  async want(transaction: Transaction, work: NewWork<T>): Promise<void> {
    await this.rows.want(transaction, this.rowOf(work));
    this.wakeAfter(transaction);
  }

  /**
   * Removes the work of a group. Running work is aborted by its signal, at once in this process and within a third of a
   * lease in other processes, and is not repeated.
   * @returns how many items were removed, and how many are running.
   */
  async cancel(
    transaction: Transaction,
    group: string,
  ): Promise<{ removed: number; marked: number }> {
    const counts = await this.rows.cancel(transaction, group);
    transaction.afterCommit(() => this.onCancelled.forEach((tell) => tell(group)));
    return counts;
  }

  /** Removes all work of an account; `finish` of running items then throws WorkLost. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.rows.deleteOfAccount(transaction, accountId);
  }

  /**
   * Returns how many items of a group remain, including dead ones. Cancelled work counts until its handler has ended.
   */
  async remaining(runner: SqlRunner, group: string): Promise<number> {
    return this.rows.countGroup(runner, group);
  }

  /** Whether there is work of this name, which may also be dead. */
  async has(runner: SqlRunner, name: string): Promise<boolean> {
    return this.rows.has(runner, name);
  }

  /** Whether work is due that belongs to none of the accounts `besides`. */
  async isWaitedFor(runner: SqlRunner, besides: readonly string[]): Promise<boolean> {
    return this.rows.hasDueBesides(runner, besides);
  }

  /**
   * Pauses the queue: no process claims work during this time.
   * @param seconds at most an hour; 0 ends the pause.
   * @throws RangeError.
   */
  async pause(runner: SqlRunner, seconds: number): Promise<void> {
    const pauseMs = seconds * 1_000;
    if (!(pauseMs >= 0 && pauseMs <= PAUSE_MAX_MS)) {
      throw new RangeError(`pause(${seconds}): 0 to ${PAUSE_MAX_MS / 1_000} s`);
    }
    await this.rows.pause(runner, pauseMs);
  }

  /** Makes dead or waiting work due at once. @returns false if there is none of this name, or if it is running. */
  async redrive(runner: SqlRunner, name: string): Promise<boolean> {
    return this.rows.redrive(runner, name);
  }

  /** Notifies a runner in this process of work that was added, and of groups that were cancelled. */
  listen(listener: { added: () => void; cancelled: (group: string) => void }): void {
    this.onAdded.push(listener.added);
    this.onCancelled.push(listener.cancelled);
  }

  private wakeAfter(transaction: Transaction): void {
    transaction.afterCommit(() => this.onAdded.forEach((wake) => wake()));
  }

  private rowOf(work: NewWork<T>): WorkRow {
    const { lane = 'normal', cost = 1, delaySeconds = 0, ...rest } = work;
    if (!Number.isInteger(cost) || cost < 1 || cost > this.quantum) {
      throw new RangeError(`work of ${this.name} costs 1 to ${this.quantum}, not ${cost}`);
    }
    if (!(delaySeconds >= 0 && delaySeconds <= LATER_MAX_SECONDS)) {
      throw new RangeError(`work of ${this.name} waits 0 to ${LATER_MAX_SECONDS} s`);
    }
    return { ...rest, id: newId(), lane: LANES[lane], cost, delaySeconds };
  }
}
