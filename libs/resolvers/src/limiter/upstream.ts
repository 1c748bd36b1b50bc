import type { BudgetReply, BudgetRequest, ShareRequest } from '#libs/counters';
import { BudgetShares, isScarce } from './budget-shares.js';
import { FairQueue } from './fair-queue.js';
import { TokenBucket } from './token-bucket.js';
import type { UpstreamLimit } from './upstream-limits.js';

/** The priorities at an upstream: an interactive query, a monitor, a bulk job, our own collector. */
export type Priority = 'live' | 'monitor' | 'bulk' | 'background';

export interface WaitingQuestion {
  priority: Priority;
  /** The customer of the query; customers take turns. */
  asker: string;
  /** Whether the waiter leaves at its own deadline and so does not count towards the length of the queue. */
  isPatient: boolean;
  /** Settles the waiter once: with true when its turn has come, or with false if it will not come. */
  settle(isGranted: boolean): void;
}

const ORDER: readonly Priority[] = ['live', 'monitor', 'bulk', 'background'];
const PAUSE_FIRST_MS = 60_000;
const PAUSE_LEAST_MS = 1_000;
const PAUSE_MAX_MS = 3_600_000;

/** An upstream host: its buckets, its waiters, and the end of its pause. */
export class Upstream {
  private readonly buckets: readonly TokenBucket[];
  private readonly waiters: Record<Priority, FairQueue<WaitingQuestion>> = {
    live: new FairQueue(),
    monitor: new FairQueue(),
    bulk: new FairQueue(),
    background: new FairQueue(),
  };
  /** The slowly refilling buckets, with their indexes. */
  private readonly shares: readonly { place: number; bucket: TokenBucket; shares: BudgetShares }[];
  /** Half of each bucket, for our own collector, which gets no more even if nothing else is queried. */
  private readonly halves: readonly TokenBucket[];
  private active = 0;
  private patient = 0;
  private readonly activeBy = new Map<string, number>();
  private pausedUntil = -Infinity;
  private strikes = 0;
  /**
   * The number of turns taken while the shared server was unavailable, less the turns that the server granted but that
   * nobody used.
   */
  private spentAlone = 0;
  private isAsking = false;
  private hasRecovered = false;

  constructor(
    readonly host: string,
    private readonly limit: UpstreamLimit,
    now: number,
  ) {
    this.buckets = limit.buckets.map((terms) => new TokenBucket(terms, now));
    this.halves = limit.buckets.map(
      ({ burst, perSecond }) =>
        new TokenBucket({ burst: Math.max(1, burst / 2), perSecond: perSecond / 2 }, now),
    );
    this.shares = this.buckets
      .map((bucket, place) => ({ place, bucket, shares: new BudgetShares(bucket.terms) }))
      .filter(({ bucket }) => isScarce(bucket.terms));
  }

  get isIdle(): boolean {
    return this.active === 0 && this.waiting === 0;
  }

  get waiting(): number {
    return ORDER.reduce((sum, priority) => sum + this.waiters[priority].length, 0);
  }

  /** The number of waiters without their own deadline. */
  get impatient(): number {
    return this.waiting - this.patient;
  }

  pausedForMs(now: number): number {
    return Math.max(0, Math.ceil(this.pausedUntil - now));
  }

  add(waiter: WaitingQuestion): void {
    this.waiters[waiter.priority].push(waiter.asker, waiter);
    if (waiter.isPatient) this.patient += 1;
  }

  remove(waiter: WaitingQuestion): void {
    const isThere = this.waiters[waiter.priority].remove(waiter.asker, waiter);
    if (isThere && waiter.isPatient) this.patient -= 1;
  }

  /**
   * Returns the milliseconds that one more query would wait, at the rate of the buckets. The query would wait for all
   * queries of higher priority. Within its own priority, callers take turns: for each query that its caller already has
   * waiting, one query of every other caller comes first.
   */
  expectedWaitMs(
    { priority, asker }: Pick<WaitingQuestion, 'priority' | 'asker'>,
    now: number,
  ): number {
    const higher = ORDER.slice(0, ORDER.indexOf(priority));
    const before = higher.reduce((sum, name) => sum + this.waiters[name].length, 0);
    const wanted = before + this.waiters[priority].placeOf(asker);
    const waits = this.buckets.map((bucket) => {
      const missing = Math.max(0, wanted - bucket.left(now));
      return (missing / bucket.terms.perSecond) * 1_000;
    });
    return Math.ceil(Math.max(0, ...waits));
  }

  /**
   * Takes one of the turns left for background work.
   * @param processes the number of processes that each use a part of the limit.
   * @returns the milliseconds until there is a turn; 0 if one was taken.
   */
  takeBackground(now: number, processes = 1): number {
    for (const half of this.halves) half.divide(processes, now);
    const waitMs = Math.max(0, ...this.halves.map((half) => half.waitMs(now)));
    if (waitMs === 0) for (const half of this.halves) half.take(now);
    return waitMs;
  }

  waitingOf(asker: string): number {
    return ORDER.reduce((sum, priority) => sum + this.waiters[priority].countOf(asker), 0);
  }

  /** Whether a budget refills so slowly that callers get shares of it. */
  get isScarce(): boolean {
    return this.shares.length > 0;
  }

  shareRequest(asker: string): ShareRequest {
    const buckets = this.shares.map(({ place, bucket }) => ({ place, ...bucket.terms }));
    return { asker, waiting: this.waitingOf(asker), buckets };
  }

  /** Notes that a caller is active, and returns whether it may have one more share of each slowly refilling budget. */
  hasShareFor(asker: string, now: number): boolean {
    const waiting = this.waitingOf(asker);
    return this.shares.every(({ bucket, shares }) =>
      shares.mayAsk(asker, waiting, bucket.left(now), now),
    );
  }

  /**
   * Makes room for a query by removing a waiter without its own deadline. Of the waiters with the lowest priority below
   * that of the query, the caller with the most loses its newest one. If there are none, a caller that will still have
   * more waiters of the query's priority than `asker` loses the newest of these. @returns false if no waiter was
   * removed.
   */
  displace({ priority, asker }: Pick<WaitingQuestion, 'priority' | 'asker'>): boolean {
    for (const name of ORDER.slice(ORDER.indexOf(priority)).toReversed()) {
      const count = name === priority ? this.waiters[name].countOf(asker) + 1 : 0;
      const waiter = this.waiters[name].pop(({ isPatient }) => !isPatient, count);
      if (waiter === undefined) continue;
      this.end(waiter, false);
      return true;
    }
    return false;
  }

  /**
   * Admits waiters that may start.
   * @param processes the number of processes that each use a part of the limit.
   * @returns the milliseconds until the next token if a waiter with a free connection needs one; otherwise undefined.
   */
  admit(now: number, processes = 1): number | undefined {
    for (const bucket of this.buckets) bucket.divide(processes, now);
    while (this.places(processes) > 0) {
      const waitMs = Math.max(...this.buckets.map((bucket) => bucket.waitMs(now)));
      if (waitMs > 0) return waitMs;
      for (const bucket of this.buckets) bucket.take(now);
      this.spentAlone += 1;
      this.letGo(now, processes);
    }
    return undefined;
  }

  /**
   * Returns the next request to the shared budgets, which then counts as unanswered; undefined if no waiting query has
   * a free connection, or while an earlier request is unanswered.
   */
  request(now: number, processes: number): BudgetRequest | undefined {
    const tokens = this.places(processes);
    if (tokens === 0 || this.isAsking) return undefined;
    this.isAsking = true;
    const freeFor = this.freeFor(processes);
    const priority = ORDER.findIndex((name) => this.waiters[name].countFree(freeFor) > 0);
    const buckets = this.buckets.map((bucket) => ({
      ...bucket.terms,
      left: bucket.left(now),
      owed: bucket.owed(this.spentAlone, now),
    }));
    const pausedMs = this.pausedForMs(now);
    return { priority, tokens, pausedMs, isRecovered: this.hasRecovered, buckets };
  }

  /**
   * Adopts the reply of the shared budgets, and admits as many waiters as they granted.
   * @returns the milliseconds until the next request; undefined if no query is waiting.
   */
  admitGranted(reply: BudgetReply, now: number, processes: number): number | undefined {
    this.isAsking = false;
    this.hasRecovered = false;
    this.spentAlone = 0;
    this.strikes = reply.strikes;
    for (const [at, bucket] of this.buckets.entries()) bucket.adopt(reply.left[at], now);
    if (reply.pausedMs > 0) {
      this.pausedUntil = now + reply.pausedMs;
      this.sendAllAway();
    }
    for (let left = reply.granted; left > 0; left -= 1) {
      // If the waiter has left during the request to the server, the turn was not used.
      if (!this.letGo(now, processes)) this.spentAlone -= 1;
    }
    return this.waiting > 0 ? reply.waitMs : undefined;
  }

  /** Ends a request to which the shared budgets gave no answer. */
  stopAsking(): void {
    this.isAsking = false;
  }

  private places(processes: number): number {
    const freeFor = this.freeFor(processes);
    const ready = ORDER.reduce((sum, name) => sum + this.waiters[name].countFree(freeFor), 0);
    return Math.max(0, Math.min(ready, this.connections(processes) - this.active));
  }

  private connections(processes: number): number {
    return Math.max(1, Math.floor(this.limit.connections / processes));
  }

  /**
   * Returns a function that returns the number of connections that a caller may still open. A caller that has
   * connections does not get the last one: at a silent server, its queries would block everyone else's until they time
   * out. The installation's own queries share all connections.
   */
  private freeFor(processes: number): (asker: string) => number {
    const connections = this.connections(processes);
    const ownMax = Math.max(1, connections - 1);
    return (asker) => (asker === '' ? connections : ownMax - (this.activeBy.get(asker) ?? 0));
  }

  /** Starts the next waiter. @returns false if no waiter may start. */
  private letGo(now: number, processes: number): boolean {
    const freeFor = this.freeFor(processes);
    for (const name of ORDER) {
      const waiter = this.waiters[name].shift(freeFor);
      if (waiter === undefined) continue;
      const { asker } = waiter;
      this.active += 1;
      this.activeBy.set(asker, (this.activeBy.get(asker) ?? 0) + 1);
      for (const { shares } of this.shares) shares.take(asker, now);
      this.end(waiter, true);
      return true;
    }
    return false;
  }

  /** Ends a connection of `asker`. */
  release(asker: string): void {
    this.active -= 1;
    const left = (this.activeBy.get(asker) ?? 0) - 1;
    if (left > 0) this.activeBy.set(asker, left);
    else this.activeBy.delete(asker);
  }

  /** Notes an answer. During a pause, it belongs to a query that was sent before, so it does not end the throttling. */
  answered(now: number): void {
    if (this.pausedForMs(now) > 0) return;
    this.hasRecovered ||= this.strikes > 0;
    this.strikes = 0;
  }

  /**
   * Pauses the upstream for as long as it asked for, or for a minute that doubles each time, with jitter so that
   * several processes do not return together; at most an hour. Waiters are rejected. Answers to queries that were sent
   * before the pause do not extend it.
   * @returns the number of consecutive throttles.
   */
  pause(now: number, retryAfterMs: number | undefined, jitter: number): number {
    if (this.pausedForMs(now) === 0) {
      const doubledMs = PAUSE_FIRST_MS * 2 ** Math.min(this.strikes, 6);
      const backOffMs = Math.round(doubledMs * (0.8 + 0.4 * jitter));
      this.strikes += 1;
      const forMs = Math.max(retryAfterMs ?? backOffMs, PAUSE_LEAST_MS);
      this.pausedUntil = now + Math.min(forMs, PAUSE_MAX_MS);
    }
    this.sendAllAway();
    return this.strikes;
  }

  private sendAllAway(): void {
    for (const priority of ORDER) {
      for (const waiter of this.waiters[priority].clear()) this.end(waiter, false);
    }
  }

  private end(waiter: WaitingQuestion, isGranted: boolean): void {
    if (waiter.isPatient) this.patient -= 1;
    waiter.settle(isGranted);
  }
}
