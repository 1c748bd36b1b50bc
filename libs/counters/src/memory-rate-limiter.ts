import { monotonicMs } from '#libs/platform';
import type { CounterId } from './counter-id.js';
import { RateLimiter, WINDOW_SECONDS, type RateLimitResult } from './rate-limiter.js';

/** The maximum number of requests that one bucket can count; more in one second are refused. */
const CELL_MAX = 0xffff;
const ENTRIES_MAX = 1 << 18;

/**
 * The positions of an entry's words: the id, the rate key, the last second that was written, the oldest second with
 * requests, and the number of requests in the window.
 */
const WORD0 = 0;
const RATE_KEY = 4;
const LAST = 5;
const OLDEST = 6;
const TOTAL = 7;
const ENTRY_WORDS = 8;
/** `RATE_KEY` of a free entry; its first word is the index of the next free entry, plus one. */
const FREE = -1;

/**
 * Counts requests in sliding windows in this process's memory: a hash table with open addressing. Time is monotonic, so
 * a step of the wall clock neither admits nor locks out anybody (S101). Entries that were idle for a whole window are
 * empty and are freed; when all are in use, further accounts are refused. The table is allocated once; the system
 * provides its pages only when they are written.
 */
export class MemoryRateLimiter extends RateLimiter {
  private readonly words: Int32Array;
  private readonly counts: Uint16Array;
  private readonly indexMask: number;
  /** The start of the entries, after the index. */
  private readonly entriesStart: number;
  private entriesUsed = 0;
  private freeCount = 0;
  /** The index of the first free entry, plus one. */
  private freeFirst = 0;
  private sweepEntry = 0;

  constructor(
    private readonly nowMs: () => number = monotonicMs,
    private readonly entriesMax = ENTRIES_MAX,
  ) {
    super();
    const indexSize = 2 ** Math.ceil(Math.log2(entriesMax * 2));
    this.indexMask = indexSize - 1;
    this.entriesStart = indexSize;
    this.words = new Int32Array(indexSize + entriesMax * ENTRY_WORDS);
    this.counts = new Uint16Array(entriesMax * WINDOW_SECONDS);
  }

  get size(): number {
    return this.entriesUsed - this.freeCount;
  }

  take(id: CounterId, rateKey: number, limit: number): RateLimitResult {
    const hash = hashOf(id.word1, id.word2, id.word3, rateKey);
    const nowSeconds = this.nowMs() / 1000;
    const { words, counts } = this;
    const entry = this.entryOf(hash, id, rateKey, Math.floor(nowSeconds));
    if (entry === -1) return { allowed: false, remaining: 0, resetSeconds: 1 };
    const base = this.entriesStart + entry * ENTRY_WORDS;
    const buckets = entry * WINDOW_SECONDS;
    const second = Math.floor(nowSeconds);
    this.advance(base, buckets, second);
    const place = buckets + (second % WINDOW_SECONDS);
    const allowed = words[base + TOTAL] < limit && counts[place] < CELL_MAX;
    if (allowed) {
      if (words[base + TOTAL] === 0) words[base + OLDEST] = second;
      counts[place]++;
      words[base + TOTAL]++;
    }
    const total = words[base + TOTAL];
    const oldest = total === 0 ? second : words[base + OLDEST];
    return {
      allowed,
      remaining: Math.max(0, limit - total),
      resetSeconds: Math.max(1, Math.ceil(oldest + WINDOW_SECONDS - nowSeconds)),
    };
  }

  giveBack(id: CounterId, rateKey: number): void {
    const hash = hashOf(id.word1, id.word2, id.word3, rateKey);
    const entry = this.findEntry(hash, id, rateKey);
    if (entry === -1) return;
    const { words, counts } = this;
    const base = this.entriesStart + entry * ENTRY_WORDS;
    const buckets = entry * WINDOW_SECONDS;
    this.advance(base, buckets, Math.floor(this.nowMs() / 1000));
    if (words[base + TOTAL] === 0) return;
    counts[buckets + (words[base + OLDEST] % WINDOW_SECONDS)]--;
    words[base + TOTAL]--;
    this.findOldest(base, buckets);
  }

  private advance(base: number, buckets: number, second: number): void {
    const { words, counts } = this;
    const last = words[base + LAST];
    if (second === last) return;
    words[base + LAST] = second;
    if (words[base + TOTAL] === 0) return;
    const passed = Math.min(second - last, WINDOW_SECONDS);
    for (let i = 1; i <= passed; i++) {
      const place = buckets + ((last + i) % WINDOW_SECONDS);
      words[base + TOTAL] -= counts[place];
      counts[place] = 0;
    }
    this.findOldest(base, buckets);
  }

  /** Moves `OLDEST` to the first bucket that has requests and is in the window. */
  private findOldest(base: number, buckets: number): void {
    const { words, counts } = this;
    if (words[base + TOTAL] === 0) return;
    const last = words[base + LAST];
    let oldest = Math.max(words[base + OLDEST], last - WINDOW_SECONDS + 1);
    while (oldest < last && counts[buckets + (oldest % WINDOW_SECONDS)] === 0) oldest++;
    words[base + OLDEST] = oldest;
  }

  private entryOf(hash: number, id: CounterId, rateKey: number, second: number): number {
    const entry = this.findEntry(hash, id, rateKey);
    return entry === -1 ? this.insert(hash, id, rateKey, second) : entry;
  }

  /** Finds the entry of an account under a rate key. @returns -1 if nothing is counted there. */
  private findEntry(hash: number, id: CounterId, rateKey: number): number {
    const { words } = this;
    let place = hash & this.indexMask;
    for (let slot = words[place]; slot !== 0; slot = words[place]) {
      const entry = slot - 1;
      const base = this.entriesStart + entry * ENTRY_WORDS;
      if (
        words[base + WORD0 + 3] === id.word3 &&
        words[base + WORD0 + 2] === id.word2 &&
        words[base + WORD0 + 1] === id.word1 &&
        words[base + WORD0] === id.word0 &&
        words[base + RATE_KEY] === rateKey
      ) {
        return entry;
      }
      place = (place + 1) & this.indexMask;
    }
    return -1;
  }

  private insert(hash: number, id: CounterId, rateKey: number, second: number): number {
    // Checks two entries for each one added, so that the table shrinks as fast as it can grow.
    this.sweep(second, 2);
    const entry = this.allocate(second);
    if (entry === -1) return -1;
    const { words, counts } = this;
    const base = this.entriesStart + entry * ENTRY_WORDS;
    counts.fill(0, entry * WINDOW_SECONDS, (entry + 1) * WINDOW_SECONDS);
    words[base + WORD0] = id.word0;
    words[base + WORD0 + 1] = id.word1;
    words[base + WORD0 + 2] = id.word2;
    words[base + WORD0 + 3] = id.word3;
    words[base + LAST] = words[base + OLDEST] = second;
    words[base + TOTAL] = 0;
    words[base + RATE_KEY] = rateKey;
    this.link(hash, entry);
    return entry;
  }

  private link(hash: number, entry: number): void {
    let place = hash & this.indexMask;
    while (this.words[place] !== 0) place = (place + 1) & this.indexMask;
    this.words[place] = entry + 1;
  }

  private allocate(second: number): number {
    const isFull = this.entriesUsed === this.entriesMax;
    if (this.freeCount === 0 && isFull) this.sweep(second, this.entriesMax);
    if (this.freeCount > 0) {
      const entry = this.freeFirst - 1;
      this.freeFirst = this.words[this.entriesStart + entry * ENTRY_WORDS];
      this.freeCount--;
      return entry;
    }
    return isFull ? -1 : this.entriesUsed++;
  }

  private release(entry: number): void {
    const base = this.entriesStart + entry * ENTRY_WORDS;
    this.words[base + RATE_KEY] = FREE;
    this.words[base] = this.freeFirst;
    this.freeFirst = entry + 1;
    this.freeCount++;
  }

  private sweep(second: number, count: number): void {
    const { words } = this;
    for (let looked = 0; looked < count && this.entriesUsed > 0; looked++) {
      if (this.sweepEntry >= this.entriesUsed) this.sweepEntry = 0;
      const entry = this.sweepEntry++;
      const base = this.entriesStart + entry * ENTRY_WORDS;
      if (words[base + RATE_KEY] === FREE || second - words[base + LAST] < WINDOW_SECONDS) continue;
      this.unlink(entry);
      this.release(entry);
      return;
    }
  }

  /** Removes an entry from the index and moves later entries of its run up, so that probing still finds them. */
  private unlink(entry: number): void {
    const { words, indexMask } = this;
    let hole = this.hashOfEntry(entry) & indexMask;
    while (words[hole] !== entry + 1) hole = (hole + 1) & indexMask;
    words[hole] = 0;
    for (let place = (hole + 1) & indexMask; words[place] !== 0; place = (place + 1) & indexMask) {
      const home = this.hashOfEntry(words[place] - 1) & indexMask;
      const distanceFromHome = (place - home) & indexMask;
      const distanceFromHole = (place - hole) & indexMask;
      if (distanceFromHome < distanceFromHole) continue;
      words[hole] = words[place];
      words[place] = 0;
      hole = place;
    }
  }

  private hashOfEntry(entry: number): number {
    const { words } = this;
    const base = this.entriesStart + entry * ENTRY_WORDS;
    return hashOf(words[base + 1], words[base + 2], words[base + 3], words[base + RATE_KEY]);
  }
}

/** Hashes an id. The first word of a UUIDv7 is its time, so hashing by it would cluster entries. */
function hashOf(word1: number, word2: number, word3: number, rateKey: number): number {
  let hash = Math.imul(word1 ^ (rateKey + 1), 0x9e3779b1);
  hash = Math.imul(hash ^ word2 ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ word3 ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
