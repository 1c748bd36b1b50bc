import type { UpstreamBudgets } from '#libs/counters';
import { monotonicMs } from '#libs/platform';
import { Upstream, type Priority, type WaitingQuestion } from './upstream.js';
import {
  CHOSEN_LIMITS,
  DEFAULT_LIMIT,
  PUBLISHED_LIMITS,
  type UpstreamLimit,
} from './upstream-limits.js';

export interface UpstreamLimiterOptions {
  /** The budgets that this process shares with others on the same network. */
  budgets?: UpstreamBudgets;
  /** Limits by host, which replace the published ones. */
  limits?: ReadonlyMap<string, UpstreamLimit>;
  /**
   * The limit for all hosts without a published limit. By default, `CHOSEN_LIMITS`, and `DEFAULT_LIMIT` for other
   * hosts.
   */
  defaultLimit?: UpstreamLimit;
  /** The maximum number of queries without `waitMaxMs` that may wait for one upstream, by default 100. */
  waitersMax?: number;
  /** The maximum number of remembered hosts, by default 10,000. */
  upstreamsMax?: number;
  /** Returns monotonic milliseconds; by default, `monotonicMs`. */
  now?: () => number;
  /** Schedules a function, and returns a function that cancels it. The default uses timers. */
  schedule?: (delayMs: number, run: () => void) => () => void;
  /** Returns a number in [0, 1); by default, `Math.random`. */
  random?: () => number;
}

export interface Turn {
  priority: Priority;
  /** The customer of the query, by an opaque name; by default, the installation itself. */
  asker?: string;
  signal?: AbortSignal;
  /**
   * The longest acceptable wait. A query whose turn would come later is rejected (`not_ready`), at once if that is
   * known in advance. A query with this option always gets a place in the queue, which only a query of higher priority
   * can take from it. By default, a query waits without a limit.
   */
  waitMaxMs?: number;
}

type AskersTurn = Turn & { asker: string };

/** Permission to use a connection. When the use has ended, the holder must call exactly one of the functions. */
export interface Permit {
  granted: true;
  release(): void;
  /** Reports a result that says nothing about the upstream's load, such as a timeout or a broken answer. */
  failed(): void;
  /** Reports that the upstream throttled, with the seconds to wait if the upstream named them. */
  throttled(retryAfterSeconds?: number): void;
}

export interface Refused {
  granted: false;
  reason: 'paused' | 'queue_full' | 'share_used' | 'not_ready' | 'cancelled';
  retryAfterMs: number;
}

/** Delays queries so that no upstream is queried more often than it allows. */
export class UpstreamLimiter {
  private readonly upstreams = new Map<string, Upstream>();
  private readonly wakeUps = new Map<Upstream, () => void>();
  private readonly now: () => number;
  private readonly schedule: NonNullable<UpstreamLimiterOptions['schedule']>;
  private readonly random: () => number;

  constructor(private readonly options: UpstreamLimiterOptions = {}) {
    this.now = options.now ?? monotonicMs;
    this.schedule = options.schedule ?? timer;
    this.random = options.random ?? Math.random;
  }

  /**
   * Waits for a turn at `host`. A query is rejected at once while the upstream is paused; if the queue is full and no
   * query can be removed from it (one of lower priority, or of a caller with more waiting queries); if its caller has
   * used its share of a slowly refilling budget or fills a quarter of the queue; or if too many hosts are in use.
   * `Turn` says what `signal` and `waitMaxMs` change. Background work is also rejected once it has used its half of the
   * limit.
   */
  acquire(host: string, { asker = '', ...given }: Turn): Promise<Permit | Refused> {
    const { signal, waitMaxMs } = given;
    if (signal?.aborted === true) return Promise.resolve(refused('cancelled', 0));
    const upstream = this.upstreamOf(host);
    if (upstream === undefined) return Promise.resolve(refused('queue_full', RETRY_SOON_MS));
    const pausedMs = upstream.pausedForMs(this.now());
    if (pausedMs > 0) return Promise.resolve(refused('paused', pausedMs));
    const turn = { ...given, asker };
    const waitMs = waitMaxMs === undefined ? 0 : upstream.expectedWaitMs(turn, this.now());
    if (waitMs > (waitMaxMs ?? 0)) return Promise.resolve(refused('not_ready', waitMs));
    const { budgets } = this.options;
    if (given.priority === 'background') {
      const pauseMs = upstream.takeBackground(this.now(), budgets?.processes);
      if (pauseMs > 0) return Promise.resolve(refused('not_ready', pauseMs));
    }
    if (upstream.isScarce && budgets?.isUsable) return this.waitShared(upstream, turn, budgets);
    if (!upstream.hasShareFor(asker, this.now())) {
      return Promise.resolve(refused('share_used', SHARE_RETRY_MS));
    }
    return this.queue(upstream, turn);
  }

  /** Returns the number of milliseconds for which `host` is paused; 0 if it may be queried. */
  pausedForMs(host: string): number {
    return this.upstreams.get(host)?.pausedForMs(this.now()) ?? 0;
  }

  waitingFor(host: string): number {
    return this.upstreams.get(host)?.waiting ?? 0;
  }

  /**
   * Claims the caller's share of a budget that processes share, and queues the query. Gives the share back if the
   * query is not sent.
   */
  private async waitShared(
    upstream: Upstream,
    turn: AskersTurn,
    budgets: UpstreamBudgets,
  ): Promise<Permit | Refused> {
    const { asker, signal } = turn;
    const claimed = await budgets.claimShare(upstream.host, upstream.shareRequest(asker));
    const mayAsk = claimed ?? upstream.hasShareFor(asker, this.now());
    if (!mayAsk) return refused('share_used', SHARE_RETRY_MS);
    const answer =
      signal?.aborted === true ? refused('cancelled', 0) : await this.queue(upstream, turn);
    if (!answer.granted && claimed) void budgets.returnShare(upstream.host, asker);
    return answer;
  }

  /**
   * Queues a query; queries with a deadline always get a place.
   * @returns the permit or a rejection; `queue_full` at once if too many queries are waiting, in total or from this
   *   caller.
   */
  private queue(upstream: Upstream, turn: AskersTurn): Promise<Permit | Refused> {
    const { asker, waitMaxMs } = turn;
    if (waitMaxMs !== undefined) return this.wait(upstream, turn);
    const waitersMax = this.options.waitersMax ?? WAITERS_MAX;
    const ownMax = Math.ceil(waitersMax * ASKER_PLACES);
    const isOwnFull = asker !== '' && upstream.waitingOf(asker) >= ownMax;
    if (isOwnFull || (upstream.impatient >= waitersMax && !upstream.displace(turn))) {
      return Promise.resolve(refused('queue_full', RETRY_SOON_MS));
    }
    return this.wait(upstream, turn);
  }

  private wait(
    upstream: Upstream,
    { priority, asker, signal, waitMaxMs }: AskersTurn,
  ): Promise<Permit | Refused> {
    return new Promise((resolve) => {
      let isWaiting = true;
      let callOff = () => {};
      const end = (answer: Permit | Refused) => {
        isWaiting = false;
        callOff();
        signal?.removeEventListener('abort', cancel);
        resolve(answer);
      };
      const leave = (answer: Refused) => {
        upstream.remove(waiter);
        end(answer);
      };
      const cancel = () => leave(refused('cancelled', 0));
      const waiter: WaitingQuestion = {
        priority,
        asker,
        isPatient: waitMaxMs !== undefined,
        settle: (isGranted) =>
          end(isGranted ? this.permit(upstream, asker) : this.sentAway(upstream)),
      };
      signal?.addEventListener('abort', cancel, { once: true });
      upstream.add(waiter);
      this.admit(upstream);
      if (!isWaiting || waitMaxMs === undefined) return;
      const giveUp = () => leave(refused('not_ready', RETRY_SOON_MS));
      callOff = this.schedule(Math.max(waitMaxMs, TURN_MS), giveUp);
    });
  }

  private permit(upstream: Upstream, asker: string): Permit {
    let isOpen = true;
    const end = (report: () => void) => () => {
      if (!isOpen) return;
      isOpen = false;
      upstream.release(asker);
      report();
      this.admit(upstream);
    };
    return {
      granted: true,
      release: end(() => upstream.answered(this.now())),
      failed: end(() => undefined),
      throttled: (retryAfterSeconds) =>
        end(() => {
          const retryAfterMs =
            retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
          const strikes = upstream.pause(this.now(), retryAfterMs, this.random());
          const pausedMs = upstream.pausedForMs(this.now());
          void this.options.budgets?.pause(upstream.host, pausedMs, strikes);
        })(),
    };
  }

  private sentAway(upstream: Upstream): Refused {
    const pausedMs = upstream.pausedForMs(this.now());
    return pausedMs > 0 ? refused('paused', pausedMs) : refused('queue_full', RETRY_SOON_MS);
  }

  private admit(upstream: Upstream): void {
    this.wakeUps.get(upstream)?.();
    this.wakeUps.delete(upstream);
    const { budgets } = this.options;
    if (budgets?.isUsable) void this.admitTogether(upstream, budgets);
    else this.comeAgain(upstream, upstream.admit(this.now(), budgets?.processes));
  }

  private async admitTogether(upstream: Upstream, budgets: UpstreamBudgets): Promise<void> {
    const request = upstream.request(this.now(), budgets.processes);
    if (request === undefined) return;
    const reply = await budgets.take(upstream.host, request);
    if (reply !== undefined) {
      this.comeAgain(upstream, upstream.admitGranted(reply, this.now(), budgets.processes));
      return;
    }
    upstream.stopAsking();
    this.comeAgain(upstream, upstream.admit(this.now(), budgets.processes));
  }

  private comeAgain(upstream: Upstream, afterMs: number | undefined): void {
    if (afterMs === undefined) return;
    this.wakeUps.get(upstream)?.();
    this.wakeUps.set(
      upstream,
      this.schedule(afterMs, () => this.admit(upstream)),
    );
  }

  private upstreamOf(host: string): Upstream | undefined {
    const known = this.upstreams.get(host);
    if (known !== undefined) return known;
    // Outsiders can name hosts through referrals, so the number of remembered hosts is limited.
    if (this.upstreams.size >= (this.options.upstreamsMax ?? 10_000) && !this.forgetOne()) {
      return undefined;
    }
    const { limits, defaultLimit: given } = this.options;
    const told = limits?.get(host) ?? PUBLISHED_LIMITS.get(host) ?? given;
    const limit = told ?? CHOSEN_LIMITS.get(host) ?? DEFAULT_LIMIT;
    const upstream = new Upstream(host, limit, this.now());
    this.upstreams.set(host, upstream);
    return upstream;
  }

  /**
   * Forgets the oldest host that is not in use, is not paused and has no published limit.
   * @returns false if there is none.
   */
  private forgetOne(): boolean {
    const now = this.now();
    for (const [host, upstream] of this.upstreams) {
      if (!upstream.isIdle || upstream.pausedForMs(now) > 0 || PUBLISHED_LIMITS.has(host)) continue;
      return this.upstreams.delete(host);
    }
    return false;
  }
}

const RETRY_SOON_MS = 5_000;
/**
 * A waiting query is given up after this time at the earliest, because the shared server may need that long to grant a
 * turn that is free.
 */
const TURN_MS = 100;
const SHARE_RETRY_MS = 600_000;
const WAITERS_MAX = 100;
/** The share of the queue that one caller may fill. */
const ASKER_PLACES = 0.25;

function refused(reason: Refused['reason'], retryAfterMs: number): Refused {
  return { granted: false, reason, retryAfterMs };
}

function timer(delayMs: number, run: () => void): () => void {
  // Each waiter has its own deadline, so this timer must not keep the process alive.
  const handle = setTimeout(run, delayMs).unref();
  return () => clearTimeout(handle);
}
