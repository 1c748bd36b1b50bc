import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitlementClient, LeaseAnswer, SettleAnswer } from '#libs/contracts';
import {
  type Logger,
  Problem,
  SECOND_MS,
  ServiceUnavailable,
  monotonicMs,
  newId,
  runInContext,
} from '#libs/platform';
import { type HoldUse, rowOfBroken } from './journal-lines.js';
import { LeaseJournal } from './lease-journal.js';
import { CreditsBusy, InsufficientCredits } from './lease.errors.js';
import { type LeasePool, LeasePools, type Waiter } from './lease-pool.js';
import { LeaseSettler } from './lease-settler.js';
import { LeaseCounts, type LeaseState } from './lease-state.js';
import { Lease } from './lease.js';

export interface LeaseClientOptions {
  client: EntitlementClient;
  logger: Logger;
  journalPath: string;
  /** Maximum duration of a request after its credits have been reserved, in milliseconds. */
  requestDeadlineMs: number;
  /** The time between settlements, 100 ms by default. */
  settleIntervalMs?: number;
  /** The journal is rewritten when it has grown by this many bytes, by default 64 MiB. */
  journalCompactAtBytes?: number;
  /**
   * The part of the request log that the lease client uses. Rows of charged answers stay in the journal until the log
   * has written them.
   */
  log?: JournaledLog;
}

export interface JournaledHolds {
  uses(): HoldUse[];
  /** Settles and closes the holds that an earlier process left open. @throws if the process stops before that. */
  replay(uses: HoldUse[]): Promise<void>;
}

export interface JournaledLog {
  /** Returns the rows of charged answers that are not written yet, without their line endings. */
  unwrittenRows(): Iterable<string>;
  /** Calls `listener` after each write, with the number of charged answers that it contained. */
  onWritten(listener: (count: number) => void): void;
  writerId: string;
  /** Writes the rows that earlier processes did not write, once those processes can no longer write. */
  restore(rows: string[], writerIds: string[]): Promise<void>;
}

export interface Requester {
  requestId: string;
  span?: { traceparent: string };
}

interface Asked {
  answer: LeaseAnswer;
  /** The number of the call that requested the lease. */
  call: number;
  askedAtMs: number;
  min: number;
}

const SETTLE_INTERVAL_MS = 100;
/** A request may use a lease only if the lease outlives the request's deadline by this margin. */
const LEASE_MARGIN_MS = 5 * SECOND_MS;
const ELSEWHERE_WAIT_MS = 300;
const ELSEWHERE_RETRY_MS = 50;
const WAITERS_MAX = 2_000;
const WANTED_MIN = 10;
const WANTED_MAX = 1_000;
const WANTED_AHEAD_SECONDS = 30;
/** The next lease is requested when less than this share of the current lease is left. */
const REFILL_AT = 0.2;
const PREFETCH_PAUSE_MS = SECOND_MS;
/**
 * While this many calls for leases are running, none is prefetched: requests that already need a lease take precedence.
 */
const PREFETCH_CALLS_MAX = 64;

/**
 * Obtains and spends this gateway's leases. It reserves credits at once while a lease has room, requests the next lease
 * before the current lease is used up, and reports charges. It never spends credits that no lease covers.
 */
export class LeaseClient {
  /** Resolves once everything that earlier processes left is settled and logged, or when this process stops. */
  replayed: Promise<void> = Promise.resolve();
  readonly pools = new LeasePools();
  private readonly settler: LeaseSettler;
  readonly journal: LeaseJournal;
  /** Holds are recorded in the same journal, even before `start`. */
  holds?: JournaledHolds;
  private readonly gatewayId = newId();
  private readonly counts = new LeaseCounts();
  private isDraining = false;
  private isDrained = false;
  private leaseCount = 0;
  private acquiring = 0;
  private expiryTimer?: NodeJS.Timeout;

  constructor(private readonly options: LeaseClientOptions) {
    const { client, logger, journalPath } = options;
    this.settler = new LeaseSettler({
      client,
      logger,
      gatewayId: this.gatewayId,
      intervalMs: options.settleIntervalMs ?? SETTLE_INTERVAL_MS,
      pools: this.pools,
      onAnswer: (answer, call) => this.onAnswer(answer, call),
      onClosed: (lease) => this.onClosed(lease),
    });
    this.journal = new LeaseJournal({
      path: journalPath,
      openLeases: () => this.settler.open.values(),
      openHolds: () => this.holds?.uses() ?? [],
      unwrittenRows: () => options.log?.unwrittenRows() ?? [],
      writerId: options.log?.writerId,
      onLost: () => this.settler.settleNow(),
      logger,
      compactAtBytes: options.journalCompactAtBytes,
    });
  }

  /** Opens the journal and begins to settle what an earlier process left in it. */
  start(): void {
    const { uses, holds, rows, writerIds } = this.journal.open();
    const { log } = this.options;
    log?.onWritten((count) => this.journal.rowsWritten(count));
    this.replayed = Promise.all([
      this.settler.replay(uses),
      this.holds?.replay(holds),
      log?.restore([...rows, ...holds.flatMap(rowOfBroken)], writerIds),
    ]).then(
      () => this.journal.forgetEarlier(),
      () => {},
    );
    this.settler.start();
    this.expiryTimer = setInterval(() => this.closeExpired(), SECOND_MS);
  }

  /**
   * Reserves credits for one request, at once if a lease has room.
   * @returns the lease with the reserved credits, for which `finish` must be called in any case, or the rejection: 402
   *   or 503.
   */
  reserve(
    accountId: string,
    cost: number,
    nowMs: number,
    request?: Requester,
  ): Lease | Promise<Lease | Problem> {
    const pool = this.pools.of(accountId, nowMs);
    const lease = pool.waiters.length === 0 ? pool.leaseWithRoom(cost, nowMs) : undefined;
    if (lease === undefined) return this.wait(pool, cost, request);
    lease.reserved += cost;
    this.counts.hits++;
    const mayPrefetch = !pool.isAsking && this.acquiring < PREFETCH_CALLS_MAX;
    if (mayPrefetch && isRunningOut(pool, lease, cost, nowMs)) this.askFor(pool, request);
    return lease;
  }

  /**
   * Ends a reservation: `charged` of its `cost` is spent, and the rest is available again.
   * @param operation the answered operation, as named in the customer's ledger.
   * @param row the answer's row of the request log.
   */
  finish(lease: Lease, cost: number, charged: number, operation?: string, row?: string): void {
    lease.reserved -= cost;
    const pool = this.pools.get(lease.accountId);
    if (charged > 0) {
      if (pool) pool.chargedSinceAsk += charged;
      lease.charge(charged, operation);
      this.journal.used(lease, operation, row);
      this.settler.used(lease);
      if (!this.journal.reopenIfDue()) this.settler.settleNow();
    }
    if (lease.isClosing && lease.reserved === 0) this.settler.close(lease);
    if (pool && pool.waiters.length > 0) this.serveWaiters(pool);
  }

  /** Returns the last reported balance minus what this gateway has used since then; undefined if there is no report. */
  remaining(accountId: string): number | undefined {
    return this.pools.get(accountId)?.remaining;
  }

  /** Returns the state of leases and journal, for metrics. */
  state(): LeaseState {
    const { counts, settler, journal } = this;
    return {
      counts,
      open: settler.open.size,
      unsettledCredits: settler.unsettledCredits,
      settlementAgeMs: settler.answerAgeMs,
      journalBytes: journal.size,
      journalFreeBytes: journal.freeBytes,
      isJournalWritable: journal.isWritable,
    };
  }

  /**
   * Gives back all leases, waits for at most `timeoutMs` until entitlement has acknowledged this, and closes the
   * journal.
   */
  async drain(timeoutMs: number): Promise<void> {
    this.isDraining = true;
    for (const lease of this.settler.open.values()) this.drainLease(lease);
    const until = monotonicMs() + timeoutMs;
    while (this.settler.open.size > 0 && monotonicMs() < until) await sleep(10);
    this.isDrained = true;
    clearInterval(this.expiryTimer);
    this.settler.stop();
    await this.replayed;
    this.journal.close();
  }

  private wait(pool: LeasePool, cost: number, request?: Requester): Promise<Lease | Problem> {
    // A lease granted from now on would never be closed.
    if (this.isDrained) return Promise.resolve(new ServiceUnavailable('gateway'));
    this.counts.misses++;
    if (pool.waiters.length >= WAITERS_MAX) return Promise.resolve(new CreditsBusy());
    return new Promise((resolve) => {
      pool.enqueue({ cost, giveUpAtMs: monotonicMs() + ELSEWHERE_WAIT_MS, resolve });
      if (!pool.isAsking) this.askFor(pool, request);
    });
  }

  private askFor(pool: LeasePool, request: Requester | undefined): void {
    const context = { requestId: request?.requestId, traceparent: request?.span?.traceparent };
    runInContext(context, () => void this.ask(pool));
  }

  /** Requests leases until no request waits. Each pool has at most one running call. */
  private async ask(pool: LeasePool): Promise<void> {
    pool.isAsking = true;
    try {
      do {
        await this.askOnce(pool);
        this.serveWaiters(pool);
      } while (pool.waiters.length > 0);
    } finally {
      pool.isAsking = false;
      this.pools.forgetIfIdle(pool);
    }
  }

  private async askOnce(pool: LeasePool): Promise<void> {
    const { accountId } = pool;
    const min = pool.waiters.at(0)?.cost ?? 1;
    const lease = new Lease(newId(), accountId, this.leaseCount++);
    const askedAtMs = monotonicMs();
    const wanted = this.wantedBy(pool, askedAtMs);
    const call = this.pools.nextCall();
    this.journal.opened(lease);
    this.settler.opened(lease);
    this.acquiring++;
    try {
      const { gatewayId } = this;
      const answer = await this.options.client
        .acquire({ leaseId: lease.id, accountId, gatewayId, min, wanted })
        .finally(() => this.acquiring--);
      await this.take(pool, lease, { answer, call, askedAtMs, min });
    } catch (error) {
      // Entitlement may have granted the lease although its answer was lost, so the lease is closed by its id.
      lease.isClosing = true;
      this.counts.asked.failed++;
      this.settler.close(lease);
      this.options.logger.warn('entitlement did not answer the request for a lease', error);
      refuse(pool.dequeue(everybody), new ServiceUnavailable('entitlement', error));
      pool.noPrefetchUntilMs = Math.floor(monotonicMs()) + PREFETCH_PAUSE_MS;
    }
  }

  private async take(
    pool: LeasePool,
    lease: Lease,
    { answer, call, askedAtMs, min }: Asked,
  ): Promise<void> {
    // All later balances come from settlements, because only their order relative to usage reports is known.
    if (pool.remaining === undefined) pool.noteBalance(answer.balance, call);
    this.counts.asked[answer.outcome]++;
    if (answer.outcome === 'granted') {
      lease.amount = answer.amount;
      const lifeMs = answer.ttlMs - this.options.requestDeadlineMs - LEASE_MARGIN_MS;
      lease.usableUntilMs = Math.floor(askedAtMs + lifeMs);
      pool.add(lease);
      // A retry would reserve more and more credits in leases that cannot be used.
      const isUseless = !lease.hasRoomFor(min, monotonicMs());
      if (isUseless) refuse(pool.dequeue(everybody), new CreditsBusy());
      // Waiting requests are served before the lease is returned; otherwise, they would request leases without end.
      if (this.isDraining) this.serveWaiters(pool);
      if (isUseless || this.isDraining) this.drainLease(lease);
      return;
    }
    this.settler.open.delete(lease.id);
    this.journal.closed(lease);
    pool.noPrefetchUntilMs = Math.floor(monotonicMs()) + PREFETCH_PAUSE_MS;
    if (answer.outcome === 'insufficient') {
      const refused = pool.dequeue(({ cost }) => cost >= min);
      for (const waiter of refused) waiter.resolve(new InsufficientCredits(waiter.cost));
      return;
    }
    await this.waitForOthers(pool);
  }

  /**
   * Waits for credits that other gateways hold. Entitlement recalls their leases, and this gateway returns its own idle
   * leases now.
   */
  private async waitForOthers(pool: LeasePool): Promise<void> {
    const nowMs = monotonicMs();
    refuse(
      pool.dequeue(({ giveUpAtMs }) => giveUpAtMs <= nowMs),
      new CreditsBusy(),
    );
    if (pool.waiters.length === 0) return;
    await this.settler.settle();
    await sleep(ELSEWHERE_RETRY_MS);
  }

  private wantedBy(pool: LeasePool, nowMs: number): number {
    const elapsedSeconds = Math.max(1, (nowMs - pool.askedAtMs) / SECOND_MS);
    const recent = Math.ceil((pool.chargedSinceAsk / elapsedSeconds) * WANTED_AHEAD_SECONDS);
    const waiting = pool.waiters.reduce((sum, { cost }) => sum + cost, 0);
    pool.askedAtMs = Math.floor(nowMs);
    pool.chargedSinceAsk = 0;
    return Math.min(WANTED_MAX, Math.max(WANTED_MIN, recent, waiting));
  }

  private serveWaiters(pool: LeasePool): void {
    const nowMs = monotonicMs();
    while (pool.waiters.length > 0) {
      const [{ cost, resolve }] = pool.waiters;
      const lease = pool.leaseWithRoom(cost, nowMs);
      if (lease === undefined) return;
      pool.dequeueFirst();
      lease.reserved += cost;
      resolve(lease);
    }
  }

  private onAnswer({ recalled, balances }: SettleAnswer, call: number): void {
    for (const accountId of Object.keys(balances)) {
      this.pools.get(accountId)?.noteBalance(balances[accountId], call);
    }
    for (const leaseId of recalled) {
      const lease = this.settler.open.get(leaseId);
      if (lease) this.drainLease(lease);
    }
  }

  /** Lets no further request use this lease, and closes it after its last running request. */
  private drainLease(lease: Lease): void {
    // A lease that was not granted is closed by the code that requested it.
    if (lease.isClosing || lease.amount === 0) return;
    lease.isClosing = true;
    if (lease.reserved === 0) this.settler.close(lease);
  }

  private closeExpired(): void {
    const nowMs = monotonicMs();
    // Leases end in the order in which they were requested.
    for (const lease of this.settler.open.values()) {
      if (!lease.isClosing && lease.usableUntilMs > nowMs) return;
      this.drainLease(lease);
    }
  }

  private onClosed(lease: Lease): void {
    this.journal.closed(lease);
    const pool = this.pools.get(lease.accountId);
    if (pool === undefined) return;
    pool.remove(lease);
    this.pools.forgetIfIdle(pool);
  }
}

/** True if the next lease should be requested after a request of this cost has used the current lease. */
function isRunningOut(pool: LeasePool, lease: Lease, cost: number, nowMs: number): boolean {
  if (nowMs < pool.noPrefetchUntilMs || lease.amount < WANTED_MIN) return false;
  const isLow = lease.amount - lease.consumed - lease.reserved < lease.amount * REFILL_AT;
  const isOld = nowMs > lease.usableUntilMs - LEASE_MARGIN_MS;
  return (isLow || isOld) && pool.isOnly(lease, cost, nowMs);
}

function refuse(waiters: Waiter[], problem: Problem): void {
  for (const waiter of waiters) waiter.resolve(problem);
}

const everybody = () => true;
