import { WINDOW_SECONDS, type RateLimitResult } from '../rate-limiter.js';
import type { CounterId } from '../counter-id.js';
import { GIVEN_BACK, SLICE_USABLE_MS } from './scripts.js';
import type { TakeReply, TakeRequest } from './valkey-link.js';

export interface WaitingTake {
  limit: number;
  resolve(answer: RateLimitResult): void;
  /** The gateway's own decision, if the server's answer was late. */
  lateAnswer?: RateLimitResult;
  isAnswered: boolean;
  timer?: NodeJS.Timeout;
}

/** Limits below this number per minute are counted request by request, because slices of them would be too coarse. */
const SLICED_FROM = 60;
const SLICE_MS = 1_500;
const SLICE_MAX = 2_000;
/** A full entry is checked again after at most this time; sooner if others may return tokens. */
const FULL_MAX_MS = 1_000;
const FULL_WHILE_HELD_MS = 50;
/** How long the server's last answer also binds a gateway that must decide without the server. */
const WORD_HOLDS_MS = 1_000;
/** The number of seconds of use that are kept for a server that is down. Older use no longer counts. */
const USES_MAX = 2 * (WINDOW_SECONDS + 1);
/** Tokens that were not used for this long are returned. */
const IDLE_MS = 1_000;
const NOBODY: WaitingTake[] = [];

/** A gateway's copy of one account's rate key, and its tokens in hand. Times are the cluster's. */
export class SliceEntry {
  /** Tokens of `limit` that may be spent without asking the server, until `usableUntilMs`. */
  inHand = 0;
  limit = -1;
  waiters = NOBODY;
  isQueued = false;
  isAsking = false;
  isBusy = false;
  lastUseMs = 0;
  private session = '';
  private usableUntilMs = 0;
  private refillAt = -1;
  private room = 0;
  private oldestSecond = 0;
  private fullUntilMs = 0;
  private fullLimit = -1;
  private leftAlone = 0;
  private learnedAtMs = -Infinity;
  private askedAtMs = -Infinity;
  private demand = 0;
  /** The usage not yet reported to the server, as alternating seconds and counts. */
  private uses: number[] = [];

  constructor(
    readonly id: CounterId,
    readonly rateKey: number,
  ) {}

  /** True if the slice in hand can admit a request of this limit at once. */
  hasInHand(limit: number, session: string, nowMs: number): boolean {
    return (
      this.inHand > 0 &&
      this.limit === limit &&
      this.session === session &&
      nowMs < this.usableUntilMs
    );
  }

  /** True while the server's last answer says that no request is left within this limit. */
  isFull(limit: number, nowMs: number): boolean {
    return limit <= this.fullLimit && nowMs < this.fullUntilMs;
  }

  /** True while this gateway has used up its part of the remaining requests that the server last reported. */
  isFullAlone(nowMs: number): boolean {
    return this.leftAlone <= 0 && nowMs - this.learnedAtMs < WORD_HOLDS_MS;
  }

  /** Counts a request that was admitted without the server. */
  spendAlone(): void {
    this.leftAlone--;
  }

  spend(nowMs: number): RateLimitResult {
    this.inHand--;
    this.leftAlone--;
    this.demand++;
    this.note(nowMs, 1);
    return this.answer(true, nowMs);
  }

  /** Records requests to be reported to the server; a negative count returns tokens. */
  note(nowMs: number, count: number): void {
    this.lastUseMs = nowMs;
    const { uses } = this;
    const second = Math.floor(nowMs / 1000);
    if (uses.length > 0 && uses[uses.length - 2] === second) uses[uses.length - 1] += count;
    else uses.push(second, count);
    if (uses.length > USES_MAX) uses.splice(0, 2);
  }

  giveBack(): void {
    this.leftAlone++;
    this.fullUntilMs = 0;
    const { uses } = this;
    if (uses.at(-2) === GIVEN_BACK) uses[uses.length - 1]--;
    else uses.push(GIVEN_BACK, -1);
    if (uses.length > USES_MAX) uses.splice(0, 2);
  }

  get wantsRefill(): boolean {
    return this.inHand <= this.refillAt && !this.isAsking && !this.isQueued;
  }

  /**
   * True if tokens in hand or unreported usage should be sent: nothing has been used for a while, or the tokens have
   * expired.
   */
  isIdle(nowMs: number): boolean {
    return nowMs - this.lastUseMs > IDLE_MS || (this.inHand > 0 && nowMs >= this.usableUntilMs);
  }

  get hasNews(): boolean {
    return this.inHand > 0 || this.uses.length > 0;
  }

  answer(allowed: boolean, nowMs: number): RateLimitResult {
    const seconds = Math.ceil(this.oldestSecond + WINDOW_SECONDS - nowMs / 1000);
    return {
      allowed,
      remaining: Math.max(0, this.room + this.inHand),
      resetSeconds: Math.min(WINDOW_SECONDS, Math.max(1, seconds)),
    };
  }

  refused(nowMs: number): RateLimitResult {
    return { ...this.answer(false, nowMs), remaining: 0 };
  }

  /** Returns the message to the server; the usage in the message then counts as reported. */
  turn(session: string, nowMs: number): TakeRequest {
    if (this.session !== session || nowMs >= this.usableUntilMs) this.inHand = 0;
    this.session = session;
    const limit = this.waiters.at(-1)?.limit ?? this.limit;
    this.limit = limit;
    const want = this.waiters.length;
    this.demand += want;
    const elapsedMs = Math.max(1, nowMs - this.askedAtMs);
    const rate = this.demand / elapsedMs;
    if (want > 0) this.lastUseMs = nowMs;
    const isWanted = want > 0 || !this.isIdle(nowMs);
    const isSliced = isWanted && limit >= SLICED_FROM;
    const ahead = isSliced ? Math.min(SLICE_MAX, Math.floor(rate * SLICE_MS)) : 0;
    if (!isWanted) this.inHand = 0;
    this.demand = 0;
    this.askedAtMs = nowMs;
    const { uses } = this;
    this.uses = [];
    return {
      key: `${this.rateKey}:${this.id.text}`,
      limit,
      want,
      ahead,
      inHand: this.inHand,
      uses,
    };
  }

  learn(reply: TakeReply, { inHand: kept, want }: TakeRequest, gateways: number): void {
    this.leftAlone = Math.floor(reply.room / gateways) + reply.inHand;
    this.learnedAtMs = reply.nowMs;
    const spentMeanwhile = kept - this.inHand;
    this.inHand = Math.max(0, reply.inHand - spentMeanwhile);
    this.room = reply.room;
    this.oldestSecond = reply.oldestSecond;
    // The slice is usable from the moment of the request; the server keeps it longer.
    this.usableUntilMs = this.askedAtMs + SLICE_USABLE_MS;
    const gained = reply.inHand - kept;
    this.refillAt = gained > 0 ? Math.floor(reply.inHand / 2) : -1;
    if (reply.granted < want) {
      const forMs = reply.inOthersHands > 0 ? FULL_WHILE_HELD_MS : FULL_MAX_MS;
      const roomFromMs = (reply.oldestSecond + WINDOW_SECONDS) * 1000;
      this.fill(Math.min(roomFromMs, reply.nowMs + forMs));
    }
  }

  /** Refuses requests with the current limit or a lower one until `untilMs`. */
  fill(untilMs: number): void {
    this.fullLimit = this.limit;
    this.fullUntilMs = untilMs;
  }

  /** Restores the usage of a call that certainly had no effect, so that it is reported again. */
  takeBack(uses: readonly number[]): void {
    this.uses = [...uses, ...this.uses].slice(-USES_MAX);
  }

  enqueue(waiter: WaitingTake): void {
    if (this.waiters === NOBODY) this.waiters = [waiter];
    else this.waiters.push(waiter);
  }

  takeWaiters(): WaitingTake[] {
    const { waiters } = this;
    this.waiters = NOBODY;
    return waiters;
  }
}
