import { monotonicMs } from '#libs/platform';
import type { CounterId } from '../counter-id.js';
import { MemoryRateLimiter } from '../memory-rate-limiter.js';
import { RateLimiter, WINDOW_SECONDS, type RateLimitResult } from '../rate-limiter.js';
import { SliceEntry, type WaitingTake } from './slice-entry.js';
import { OtherEpoch, type TakeReply, type TakeRequest, type ValkeyLink } from './valkey-link.js';

const TICK_MS = 100;
const ENTRIES_MAX = 1 << 18;
/** Entries checked per tick; the whole table is checked once a minute. */
const SWEPT_A_TICK = Math.ceil(ENTRIES_MAX / 600);
/** The maximum number of entries in one call, which keeps the server busy for a few milliseconds. */
const BATCH_MAX = 128;
const NO_ENTRY: RateLimitResult = { allowed: false, remaining: 0, resetSeconds: 1 };

interface Turn {
  entry: SliceEntry;
  request: TakeRequest;
  waiters: WaitingTake[];
}

/**
 * The sliding window of several gateways. Valkey has the authoritative counts; a gateway spends slices of them in
 * memory, and queries the server for each request if little is left. Without the server, each gateway admits its share
 * of the limit, which it counts by itself and which includes its earlier requests.
 */
export class ValkeyRateLimiter extends RateLimiter {
  /** `entries[rateKey]`, by account. */
  private readonly entries: Map<string, SliceEntry>[] = [];
  private entryCount = 0;
  private readonly busy = new Set<SliceEntry>();
  private queue: SliceEntry[] = [];
  private isFlushPlanned = false;
  private sweep?: Iterator<SliceEntry>;
  /** Counts all requests that this gateway admitted, for outages of the server. */
  private readonly own: MemoryRateLimiter;
  private readonly timer: NodeJS.Timeout;
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly link: ValkeyLink,
    ownNowMs: () => number = monotonicMs,
  ) {
    super();
    this.own = new MemoryRateLimiter(ownNowMs);
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.timer.unref();
  }

  take(id: CounterId, rateKey: number, limit: number): RateLimitResult | Promise<RateLimitResult> {
    const { link } = this;
    const entry = this.entryOf(id, rateKey);
    if (entry === undefined) return NO_ENTRY;
    if (!link.isUsable) return this.alone(entry, limit);
    const nowMs = link.nowMs();
    if (entry.hasInHand(limit, link.session, nowMs)) {
      const refusal = this.countOwn(entry, limit);
      if (refusal) return refusal;
      const answer = entry.spend(nowMs);
      this.remember(entry);
      if (entry.wantsRefill) this.enqueue(entry);
      return answer;
    }
    if (entry.isFull(limit, nowMs)) return entry.refused(nowMs);
    return this.ask(entry, limit);
  }

  /**
   * Gives back a permit. It is reported to the server with the next requests, or as soon as the entry has been idle for
   * a moment.
   */
  giveBack(id: CounterId, rateKey: number): void {
    this.own.giveBack(id, rateKey);
    const entry = this.entries[rateKey]?.get(id.text);
    if (entry === undefined) return;
    entry.giveBack();
    this.remember(entry);
  }

  /** Gives back all tokens in hand and resolves when the server has booked them. */
  async flush(): Promise<void> {
    for (const entry of this.busy) {
      entry.lastUseMs = -Infinity;
      if (!entry.isAsking) this.enqueue(entry);
    }
    this.sendQueued();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    if (this.link.isUsable) await this.flush();
  }

  /** Sends the unused tokens and unreported usage of idle entries, and removes old entries; runs every 100 ms. */
  tick(): void {
    const nowMs = this.link.nowMs();
    if (this.link.isUsable) {
      for (const entry of this.busy) {
        if (!entry.hasNews && !entry.isAsking) this.forgetBusy(entry);
        else if (!entry.isAsking && entry.isIdle(nowMs)) this.enqueue(entry);
      }
    }
    this.sweepIdle(nowMs);
  }

  /**
   * Counts a request in this gateway's own window.
   * @returns a refusal if the server's history is incomplete and this gateway's share is used up; otherwise undefined.
   */
  private countOwn(entry: SliceEntry, limit: number): RateLimitResult | undefined {
    if (!this.link.isWarming) {
      this.own.take(entry.id, entry.rateKey, Infinity);
      return undefined;
    }
    const answer = this.own.take(entry.id, entry.rateKey, this.link.shareOf(limit));
    return answer.allowed ? undefined : answer;
  }

  private alone(entry: SliceEntry, limit: number): RateLimitResult {
    const answer = this.takeShare(entry, limit);
    if (answer.allowed) {
      entry.note(this.link.nowMs(), 1);
      this.remember(entry);
    }
    return answer;
  }

  /**
   * Decides without the server, by this gateway's share of the limit and of the remaining requests that the server last
   * reported.
   */
  private takeShare(entry: SliceEntry, limit: number): RateLimitResult {
    const nowMs = this.link.nowMs();
    if (entry.isFullAlone(nowMs)) return entry.refused(nowMs);
    const answer = this.own.take(entry.id, entry.rateKey, this.link.shareOf(limit));
    if (answer.allowed) {
      this.link.hasUnknownHistory = true;
      entry.spendAlone();
    }
    return answer;
  }

  private ask(entry: SliceEntry, limit: number): Promise<RateLimitResult> {
    return new Promise((resolve) => {
      const waiter: WaitingTake = { limit, resolve, isAnswered: false };
      // The answer may be in the socket if this process was busy, so the socket is read once more first.
      const giveUp = () => setImmediate(() => this.giveUp(entry, waiter));
      waiter.timer = setTimeout(giveUp, this.link.timeoutMs);
      entry.enqueue(waiter);
      if (!entry.isAsking) this.enqueue(entry);
    });
  }

  /** Decides a request here, because the server's answer is late. */
  private giveUp(entry: SliceEntry, waiter: WaitingTake): void {
    if (waiter.isAnswered) return;
    waiter.isAnswered = true;
    this.link.noteLate();
    const place = entry.waiters.indexOf(waiter);
    if (place !== -1) entry.waiters.splice(place, 1);
    const answer = this.takeShare(entry, waiter.limit);
    waiter.lateAnswer = answer;
    if (answer.allowed) {
      // A request that was sent is booked when its answer arrives.
      if (place !== -1) entry.note(this.link.nowMs(), 1);
      this.remember(entry);
    }
    waiter.resolve(answer);
  }

  private enqueue(entry: SliceEntry): void {
    if (entry.isQueued) return;
    entry.isQueued = true;
    this.queue.push(entry);
    if (this.isFlushPlanned) return;
    this.isFlushPlanned = true;
    setImmediate(() => this.sendQueued());
  }

  private sendQueued(): void {
    this.isFlushPlanned = false;
    const { queue } = this;
    this.queue = [];
    for (let first = 0; first < queue.length; first += BATCH_MAX) {
      const sent = this.send(queue.slice(first, first + BATCH_MAX));
      this.underWay.add(sent);
      void sent.finally(() => this.underWay.delete(sent));
    }
  }

  private async send(entries: SliceEntry[]): Promise<void> {
    const { link } = this;
    const { session } = link;
    const nowMs = link.nowMs();
    const turns = entries.map((entry): Turn => {
      entry.isQueued = false;
      entry.isAsking = true;
      const request = entry.turn(session, nowMs);
      return { entry, request, waiters: entry.takeWaiters() };
    });
    let replies: TakeReply[] | Error;
    try {
      replies = await link.take(turns.map(({ request }) => request));
      if (session !== link.session) replies = new Error('too late');
    } catch (error) {
      replies = error as Error;
    }
    for (const [place, turn] of turns.entries()) {
      this.settle(turn, replies instanceof Error ? replies : replies[place]);
    }
  }

  private settle(turn: Turn, reply: TakeReply | Error): void {
    const { entry, request, waiters } = turn;
    entry.isAsking = false;
    if (reply instanceof Error) this.settleWithout(turn, reply);
    else {
      entry.learn(reply, request, this.link.gateways);
      waiters.forEach((waiter, place) => this.resolve(entry, waiter, place < reply.granted, reply));
    }
    if (entry.hasNews) this.remember(entry);
    if (entry.waiters.length > 0) this.enqueue(entry);
  }

  private resolve(
    entry: SliceEntry,
    waiter: WaitingTake,
    isGranted: boolean,
    reply: TakeReply,
  ): void {
    const { lateAnswer } = waiter;
    if (lateAnswer) {
      if (isGranted && !lateAnswer.allowed) entry.note(reply.nowMs, -1);
      if (!isGranted && lateAnswer.allowed) entry.note(this.link.nowMs(), 1);
      return;
    }
    answered(waiter);
    const refusal = isGranted ? this.countOwn(entry, waiter.limit) : entry.refused(reply.nowMs);
    if (isGranted && refusal) {
      entry.note(reply.nowMs, -1);
      entry.fill(reply.nowMs + TICK_MS);
    }
    waiter.resolve(refusal ?? entry.answer(true, reply.nowMs));
  }

  /** Decides waiting requests here, because no answer arrived. */
  private settleWithout({ entry, request, waiters }: Turn, error: Error): void {
    entry.inHand = 0;
    // Only after these two errors is it certain that nothing was booked.
    if (error instanceof OtherEpoch || error.message.startsWith('NOSCRIPT'))
      entry.takeBack(request.uses);
    for (const waiter of waiters) {
      if (waiter.lateAnswer) {
        if (waiter.lateAnswer.allowed) entry.note(this.link.nowMs(), 1);
        continue;
      }
      answered(waiter);
      waiter.resolve(this.alone(entry, waiter.limit));
    }
  }

  private entryOf(id: CounterId, rateKey: number): SliceEntry | undefined {
    const entries = (this.entries[rateKey] ??= new Map<string, SliceEntry>());
    const known = entries.get(id.text);
    if (known !== undefined) return known;
    if (this.entryCount >= ENTRIES_MAX) return undefined;
    const entry = new SliceEntry(id, rateKey);
    entries.set(id.text, entry);
    this.entryCount++;
    return entry;
  }

  private remember(entry: SliceEntry): void {
    if (entry.isBusy) return;
    entry.isBusy = true;
    this.busy.add(entry);
  }

  private forgetBusy(entry: SliceEntry): void {
    entry.isBusy = false;
    this.busy.delete(entry);
  }

  private sweepIdle(nowMs: number): void {
    for (let looked = 0; looked < SWEPT_A_TICK; looked++) {
      this.sweep ??= this.everyEntry();
      const { value: entry, done } = this.sweep.next();
      if (done) {
        this.sweep = undefined;
        return;
      }
      const isUsed = entry.isBusy || entry.isAsking || entry.isQueued;
      if (isUsed || nowMs - entry.lastUseMs < WINDOW_SECONDS * 1000) continue;
      this.entries[entry.rateKey].delete(entry.id.text);
      this.entryCount--;
    }
  }

  private *everyEntry(): Generator<SliceEntry, undefined> {
    for (const entries of this.entries) if (entries) yield* entries.values();
    return undefined;
  }
}

function answered(waiter: WaitingTake): void {
  waiter.isAnswered = true;
  clearTimeout(waiter.timer);
}
