import type { Database } from '#libs/database';
import {
  DAY_MS,
  HOUR_MS,
  type Job,
  type Logger,
  Loop,
  MINUTE_MS,
  SECOND_MS,
  counted,
} from '#libs/platform';
import {
  Later,
  WorkCancelled,
  WorkIsHopeless,
  WorkLost,
  WorkStopped,
  WorkTimedOut,
} from './work-outcome.js';
import type { WorkQueue } from './work-queue.js';
import { Work } from './work.js';
import { type ClaimedWork, WorkRepository } from './work.repository.js';

export interface WorkRunnerOptions<T extends object> {
  queue: WorkQueue<T>;
  /** The database, for a role that may write the queue's rows. */
  database: Pick<Database, 'query' | 'transaction'>;
  logger: Logger;
  /** The pauses after failed attempts, by default from 5 s to a day; the last pause repeats. */
  backOffMs?: readonly number[];
  /** The number of attempts after which failed work is dead; by default, one more than there are pauses. */
  triesMax?: number;
  /** How long other processes wait for the work of a dead process; at most a minute, 30 s by default. */
  leaseMs?: number;
  /** The time limit of an attempt; 2 minutes by default. */
  timeLimitMs?: number;
  /** The maximum number of items at a time; 4 by default. */
  concurrency?: number;
}

const BACK_OFF_MS: readonly number[] = [
  ...[5, 15].map((seconds) => seconds * SECOND_MS),
  ...[1, 5, 15].map((minutes) => minutes * MINUTE_MS),
  ...[1, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 1].map((days) => days * DAY_MS),
];
const LEASE_MS = 30 * SECOND_MS;
const LEASE_MAX_MS = MINUTE_MS;
const TIME_LIMIT_MS = 2 * MINUTE_MS;
const CONCURRENCY = 4;
const REASON_MAX = 1_000;
const LOOK_MS = SECOND_MS;

interface WorkInHand {
  claimed: ClaimedWork;
  abort: AbortController;
}

/**
 * Does the work of a queue in one of several processes. It claims due work as soon as it has free capacity, under
 * leases that it renews; it retries failed work after growing pauses, and leaves work that fails permanently to the
 * operator. As a job of the service (`runs: 'process'`), it looks for work every `everyMs`, and at once for work that
 * was added in this process.
 */
export abstract class WorkRunner<T extends object> implements Job {
  readonly name: string;
  protected readonly queue: WorkQueue<T>;
  private readonly rows: WorkRepository;
  private readonly inHand = new Map<string, WorkInHand>();
  private running?: Promise<void>;
  private isDraining = false;
  private isStopping = false;
  private wakeLoop?: () => void;
  private bell = Promise.withResolvers<void>();
  private rings = 0;

  constructor(private readonly options: WorkRunnerOptions<T>) {
    const { queue, leaseMs = LEASE_MS } = options;
    if (leaseMs > LEASE_MAX_MS) throw new Error(`a lease lasts for ${LEASE_MAX_MS} ms at most`);
    this.name = queue.name;
    this.queue = queue;
    this.rows = new WorkRepository(queue.name);
    queue.listen({
      added: () => this.ring(),
      cancelled: (group) => this.abortWhere((one) => one.group === group, new WorkCancelled(group)),
    });
  }

  /**
   * Does one item of work. It may make network calls, because no transaction is open. If the effect is in the database,
   * it calls `work.finish` in the transaction of that effect, so that both happen or neither.
   * @returns `later(seconds)` for work that cannot be done yet.
   * @throws WorkIsHopeless for work that is dead at once; after any other error, the work is retried up to `triesMax`.
   */
  protected abstract handle(work: Work<T>): Promise<Later | void>;

  /**
   * Returns the reason for a failure, as it is stored and logged. Override this for errors whose text must not be
   * stored.
   */
  protected reasonOf(error: unknown): string {
    return String(error);
  }

  /** Called in the transaction in which work becomes dead; does nothing by default. */
  protected async onDead(
    _transaction: Parameters<Parameters<Database['transaction']>[0]>[0],
    _work: { id: string; name: string; payload: T; reason: string },
  ): Promise<void> {}

  /**
   * Does all due work, several items at a time; resolves when nothing is left to claim and nothing is running.
   * @throws the database's errors.
   */
  async runOnce(): Promise<void> {
    while (this.running) await this.running.catch(() => {});
    if (this.isStopping) return;
    this.running = this.drain().finally(() => (this.running = undefined));
    await this.running;
  }

  wakeBy(wake: () => void): void {
    this.wakeLoop = wake;
  }

  /** Claims no more work and aborts the running items; resolves when they have ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.abortWhere(() => true, new WorkStopped(this.name));
    this.bell.resolve();
    await this.running?.catch(() => {});
  }

  private ring(): void {
    this.rings += 1;
    if (this.isDraining) this.bell.resolve();
    else this.wakeLoop?.();
  }

  private abortWhere(matches: (one: ClaimedWork) => boolean, reason: Error): void {
    for (const { claimed, abort } of this.inHand.values()) {
      if (matches(claimed)) abort.abort(reason);
    }
  }

  private async drain(): Promise<void> {
    const { logger, leaseMs = LEASE_MS } = this.options;
    const intervalMs = leaseMs / 3;
    const renewing = new Loop({
      name: `leases of ${this.name}`,
      intervalMs,
      logger,
      work: () => this.renew(),
    });
    void renewing.start(intervalMs);
    const underWay = new Set<Promise<void>>();
    this.isDraining = true;
    try {
      await this.claimWhileThereIs(underWay);
    } finally {
      this.isDraining = false;
      await Promise.all(underWay);
      await renewing.stop();
    }
  }

  private async claimWhileThereIs(underWay: Set<Promise<void>>): Promise<void> {
    const { database, leaseMs = LEASE_MS, concurrency = CONCURRENCY } = this.options;
    const faults: unknown[] = [];
    while (!this.isStopping && faults.length === 0) {
      this.bell = Promise.withResolvers();
      const heard = this.rings;
      const wasIdle = underWay.size === 0;
      const limit = concurrency - underWay.size;
      const request = { limit, quantum: this.queue.quantum, leaseMs };
      const claimed = limit === 0 ? [] : await this.rows.claim(database, request);
      for (const one of claimed as ClaimedWork<T>[]) {
        const doing: Promise<void> = this.do(one)
          .catch((error: unknown) => void faults.push(error))
          .finally(() => underWay.delete(doing));
        underWay.add(doing);
      }
      // Work that ended during the claim may be due again without having been seen by the claim.
      if (wasIdle && underWay.size === 0 && this.rings === heard) return;
      if (underWay.size === 0 || (claimed.length > 0 && underWay.size < concurrency)) continue;
      await this.untilRoomOrMore(underWay, concurrency);
    }
    if (faults.length > 0) throw faults[0];
  }

  /**
   * Waits until there is free capacity or more work. While there is free capacity, the runner also looks for work that
   * other processes added, and for postponed work.
   */
  private async untilRoomOrMore(underWay: Set<Promise<void>>, concurrency: number): Promise<void> {
    if (underWay.size >= concurrency) {
      await Promise.race(underWay);
      return;
    }
    const look = setTimeout(() => this.bell.resolve(), LOOK_MS);
    await Promise.race([...underWay, this.bell.promise]);
    clearTimeout(look);
  }

  private async renew(): Promise<void> {
    const { database, leaseMs = LEASE_MS } = this.options;
    const held = [...this.inHand.values()].map(({ claimed }) => claimed);
    if (held.length === 0) return;
    const rows = await this.rows.renew(database, held, leaseMs);
    const kept = new Map(rows.map(({ id, cancelled }) => [id, cancelled]));
    const wasHeld = new Set(held);
    this.abortWhere(
      (one) => wasHeld.has(one) && kept.get(one.id) === true,
      new WorkCancelled('cancelled elsewhere'),
    );
    this.abortWhere(
      (one) => wasHeld.has(one) && !kept.has(one.id),
      new WorkLost('its lease has ended'),
    );
  }

  private async do(claimed: ClaimedWork<T>): Promise<void> {
    const { database } = this.options;
    const abort = new AbortController();
    // If the lease has ended unnoticed, the handler of the earlier claim is still running.
    this.inHand.get(claimed.id)?.abort.abort(new WorkLost('its lease has ended'));
    const inHand = { claimed, abort };
    this.inHand.set(claimed.id, inHand);
    try {
      if (claimed.tries > this.triesMax) {
        // Each attempt so far has ended with the death of its process.
        await this.giveUp(claimed, `its process has ended ${counted(this.triesMax, 'time')}`);
        return;
      }
      const end = await this.inTime(new Work(claimed, this.rows, abort.signal), abort);
      if (end instanceof Later) {
        await this.rows.putBack(database, claimed, { waitMs: end.seconds * 1_000, isTry: false });
      } else {
        // The handler may have finished the work itself.
        await this.rows.finish(database, claimed);
      }
    } catch (error) {
      await this.settleFailure(claimed, abort.signal.aborted ? abort.signal.reason : error);
    } finally {
      if (this.inHand.get(claimed.id) === inHand) this.inHand.delete(claimed.id);
    }
  }

  private async settleFailure(claimed: ClaimedWork<T>, error: unknown): Promise<void> {
    const { database, logger } = this.options;
    if (error instanceof WorkLost) {
      logger.warn(`work of ${this.name} was removed or taken over`, { name: claimed.name });
    } else if (error instanceof WorkCancelled) {
      await this.rows.finish(database, claimed);
    } else if (error instanceof WorkStopped) {
      await this.rows.putBack(database, claimed, { waitMs: 0, isTry: false });
    } else {
      await this.fail(claimed, error);
    }
  }

  /**
   * Runs a handler within its time limit. A handler that is still running when the limit ends is abandoned and loses
   * the work.
   * @throws the errors of the handler; WorkTimedOut.
   */
  private async inTime(work: Work<T>, abort: AbortController): Promise<Later | void> {
    const { timeLimitMs = TIME_LIMIT_MS } = this.options;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const reason = new WorkTimedOut(`took longer than ${timeLimitMs} ms`);
      abort.abort(reason);
      late.reject(reason);
    }, timeLimitMs);
    try {
      return await Promise.race([this.handle(work), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private get triesMax(): number {
    const { backOffMs = BACK_OFF_MS, triesMax = backOffMs.length + 1 } = this.options;
    return triesMax;
  }

  private async fail(claimed: ClaimedWork<T>, error: unknown): Promise<void> {
    const { database, logger, backOffMs = BACK_OFF_MS } = this.options;
    const reason = this.reasonOf(error).slice(0, REASON_MAX);
    if (error instanceof WorkIsHopeless || claimed.tries >= this.triesMax) {
      await this.giveUp(claimed, reason);
      return;
    }
    const waitMs = backOffMs.at(Math.min(claimed.tries, backOffMs.length) - 1) ?? 0;
    await this.rows.putBack(database, claimed, { waitMs, reason, isTry: true });
    const { name, tries } = claimed;
    logger.warn(`work of ${this.name} failed and is retried`, { name, tries, reason });
  }

  private async giveUp(claimed: ClaimedWork<T>, reason: string): Promise<void> {
    const { id, name, tries, payload } = claimed;
    const isDead = await this.options.database.transaction(async (transaction) => {
      if (!(await this.rows.putDead(transaction, claimed, reason))) return false;
      await this.onDead(transaction, { id, name, payload, reason });
      return true;
    });
    if (isDead) this.options.logger.error(`work of ${this.name} is dead`, { name, tries, reason });
  }
}
