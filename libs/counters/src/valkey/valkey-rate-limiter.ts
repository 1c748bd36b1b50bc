import { monotonicMs } from '#libs/platform';
import type { CounterId } from '../counter-id.js';
import { MemoryRateLimiter } from '../memory-rate-limiter.js';
import { RateLimiter, WINDOW_SECONDS, type RateLimitResult } from '../rate-limiter.js';
import { SliceEntry, type Waiter } from './slice-entry.js';
import { OtherEpoch, type TakeReply, type ValkeyLink } from './valkey-link.js';

const TICK_MS = 100;
const ROWS_MAX = 1 << 18;
/** Rows looked at in a tick; the whole table once a minute. */
const SWEPT_A_TICK = Math.ceil(ROWS_MAX / 600);
/** Rows in one write. */
const BATCH_MAX = 512;
const NO_ROW: RateLimitResult = { allowed: false, remaining: 0, resetSeconds: 1 };

/** Rows of one turn, what each asked, and who waits for it. */
interface Turn {
  row: SliceEntry;
  words: readonly number[];
  uses: number[];
  waiters: Waiter[];
  kept: number;
}

/**
 * The window of several gateways. The truth lies in Valkey; a gateway spends slices of it in memory,
 * and asks request by request where little is left. Without the server each gateway lets its part of
 * the limit through, counted by itself, its requests of before included.
 */
export class ValkeyRateLimiter extends RateLimiter {
  /** `rows[rateKey]`, by account. */
  private readonly rows: Map<string, SliceEntry>[] = [];
  private rowCount = 0;
  /** Rows that the server has to hear from. */
  private readonly busy = new Set<SliceEntry>();
  private queue: SliceEntry[] = [];
  private isFlushPlanned = false;
  private sweep?: Iterator<SliceEntry>;
  /** Everything this gateway let through: what it counts by when it is alone. */
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
    const row = this.rowOf(id, rateKey);
    if (row === undefined) return NO_ROW;
    if (!link.isUsable) return this.alone(row, limit);
    const nowMs = link.nowMs();
    if (row.hasInHand(limit, link.session, nowMs)) {
      const refusal = this.countOwn(row, limit);
      if (refusal) return refusal;
      const answer = row.spend(nowMs);
      this.remember(row);
      if (row.wantsRefill) this.enqueue(row);
      return answer;
    }
    if (row.isFull(limit, nowMs)) return row.refused(nowMs);
    return this.ask(row, limit);
  }

  /** The server hears of it with the next requests, at the latest when the row has been idle for a moment. */
  giveBack(id: CounterId, rateKey: number): void {
    this.own.giveBack(id, rateKey);
    const row = this.rows[rateKey]?.get(id.text);
    if (row === undefined) return;
    row.giveBack();
    this.remember(row);
  }

  /** Gives everything back that is in hand and resolves when the server knows. */
  async flush(): Promise<void> {
    for (const row of this.busy) {
      row.lastUseMs = -Infinity;
      if (!row.isAsking) this.enqueue(row);
    }
    this.sendQueued();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    if (this.link.isUsable) await this.flush();
  }

  /** Looks for slices that nobody uses; runs every 100 ms. */
  tick(): void {
    const nowMs = this.link.nowMs();
    if (this.link.isUsable) {
      for (const row of this.busy) {
        if (!row.hasNews && !row.isAsking) this.forgetBusy(row);
        else if (!row.isAsking && row.isIdle(nowMs)) this.enqueue(row);
      }
    }
    this.sweepIdle(nowMs);
  }

  /** Counts a request in this gateway's own window; refuses when it must not let through more. */
  private countOwn(row: SliceEntry, limit: number): RateLimitResult | undefined {
    if (!this.link.isWarming) {
      this.own.take(row.id, row.rateKey, Infinity);
      return undefined;
    }
    const answer = this.own.take(row.id, row.rateKey, this.link.shareOf(limit));
    return answer.allowed ? undefined : answer;
  }

  private alone(row: SliceEntry, limit: number): RateLimitResult {
    const answer = this.takeShare(row, limit);
    if (answer.allowed) {
      row.note(this.link.nowMs(), 1);
      this.remember(row);
    }
    return answer;
  }

  /** Decides without the server: by this gateway's part of the limit, and of what the server last said was left. */
  private takeShare(row: SliceEntry, limit: number): RateLimitResult {
    const nowMs = this.link.nowMs();
    if (row.isFullAlone(nowMs)) return row.refused(nowMs);
    const answer = this.own.take(row.id, row.rateKey, this.link.shareOf(limit));
    if (answer.allowed) {
      this.link.hasUnknownHistory = true;
      row.spendAlone();
    }
    return answer;
  }

  private ask(row: SliceEntry, limit: number): Promise<RateLimitResult> {
    return new Promise((resolve) => {
      const waiter: Waiter = { limit, resolve, isAnswered: false };
      // The answer may lie in the socket while this process was busy: one more look at it first.
      const giveUp = () => setImmediate(() => this.giveUp(row, waiter));
      waiter.timer = setTimeout(giveUp, this.link.timeoutMs);
      row.enqueue(waiter);
      if (!row.isAsking) this.enqueue(row);
    });
  }

  /** The server's word is late: the request is decided here. */
  private giveUp(row: SliceEntry, waiter: Waiter): void {
    if (waiter.isAnswered) return;
    waiter.isAnswered = true;
    this.link.noteLate();
    const place = row.waiters.indexOf(waiter);
    if (place !== -1) row.waiters.splice(place, 1);
    const answer = this.takeShare(row, waiter.limit);
    waiter.lateAnswer = answer;
    if (answer.allowed) {
      // One that was sent is booked when its word comes.
      if (place !== -1) row.note(this.link.nowMs(), 1);
      this.remember(row);
    }
    waiter.resolve(answer);
  }

  private enqueue(row: SliceEntry): void {
    if (row.isQueued) return;
    row.isQueued = true;
    this.queue.push(row);
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

  private async send(rows: SliceEntry[]): Promise<void> {
    const { link } = this;
    const { session, gateways } = link;
    const nowMs = link.nowMs();
    const turns = rows.map((row): Turn => {
      row.isQueued = false;
      row.isAsking = true;
      const { words, uses } = row.turn(session, nowMs, gateways);
      return { row, words, uses, waiters: row.takeWaiters(), kept: row.inHand };
    });
    let replies: (TakeReply | Error)[];
    try {
      replies = await link.take(
        turns.map(({ row, words }) => [`${row.rateKey}:${row.id.text}`, ...words]),
      );
    } catch (error) {
      replies = turns.map(() => error as Error);
    }
    turns.forEach((turn, place) => this.settle(turn, replies[place], session));
  }

  private settle(turn: Turn, reply: TakeReply | Error, session: string): void {
    const { row, waiters } = turn;
    row.isAsking = false;
    if (reply instanceof Error) this.settleWithout(turn, reply);
    else if (session !== this.link.session) this.settleWithout(turn, new Error('too late'));
    else {
      row.learn(reply, turn.kept, waiters.length, this.link.gateways);
      waiters.forEach((waiter, place) => this.resolve(row, waiter, place < reply.granted, reply));
    }
    if (row.hasNews) this.remember(row);
    if (row.waiters.length > 0) this.enqueue(row);
  }

  private resolve(row: SliceEntry, waiter: Waiter, isGranted: boolean, reply: TakeReply): void {
    const { lateAnswer } = waiter;
    if (lateAnswer) {
      if (isGranted && !lateAnswer.allowed) row.note(reply.nowMs, -1);
      if (!isGranted && lateAnswer.allowed) row.note(this.link.nowMs(), 1);
      return;
    }
    answered(waiter);
    const refusal = isGranted ? this.countOwn(row, waiter.limit) : row.refused(reply.nowMs);
    if (isGranted && refusal) {
      row.note(reply.nowMs, -1);
      row.fill(reply.nowMs + TICK_MS);
    }
    waiter.resolve(refusal ?? row.answer(true, reply.nowMs));
  }

  /** No answer: those who wait are decided here. */
  private settleWithout({ row, uses, waiters }: Turn, error: Error): void {
    row.inHand = 0;
    // Only then is it certain that nothing was booked.
    if (error instanceof OtherEpoch || error.message.startsWith('NOSCRIPT')) row.takeBack(uses);
    for (const waiter of waiters) {
      if (waiter.lateAnswer) {
        if (waiter.lateAnswer.allowed) row.note(this.link.nowMs(), 1);
        continue;
      }
      answered(waiter);
      waiter.resolve(this.alone(row, waiter.limit));
    }
  }

  private rowOf(id: CounterId, rateKey: number): SliceEntry | undefined {
    const rows = (this.rows[rateKey] ??= new Map<string, SliceEntry>());
    const known = rows.get(id.text);
    if (known !== undefined) return known;
    if (this.rowCount >= ROWS_MAX) return undefined;
    const row = new SliceEntry(id, rateKey);
    rows.set(id.text, row);
    this.rowCount++;
    return row;
  }

  private remember(row: SliceEntry): void {
    if (row.isBusy) return;
    row.isBusy = true;
    this.busy.add(row);
  }

  private forgetBusy(row: SliceEntry): void {
    row.isBusy = false;
    this.busy.delete(row);
  }

  private sweepIdle(nowMs: number): void {
    for (let looked = 0; looked < SWEPT_A_TICK; looked++) {
      this.sweep ??= this.everyRow();
      const { value: row, done } = this.sweep.next();
      if (done) {
        this.sweep = undefined;
        return;
      }
      const isUsed = row.isBusy || row.isAsking || row.isQueued;
      if (isUsed || nowMs - row.lastUseMs < WINDOW_SECONDS * 1000) continue;
      this.rows[row.rateKey].delete(row.id.text);
      this.rowCount--;
    }
  }

  private *everyRow(): Generator<SliceEntry, undefined> {
    for (const rows of this.rows) if (rows) yield* rows.values();
    return undefined;
  }
}

function answered(waiter: Waiter): void {
  waiter.isAnswered = true;
  clearTimeout(waiter.timer);
}
