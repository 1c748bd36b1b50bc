import { randomInt } from 'node:crypto';
import { monotonicMs } from '#libs/platform';
import type { CounterId } from './counter-id.js';
import { REPEAT_WINDOW_MS, RepeatWindow } from './repeat-window.js';

const BUCKET_ENTRIES = 8;
const ENTRIES_MAX = 1 << 19;

export interface MemoryRepeatsOptions {
  nowMs?: () => number;
  /** A power of two, at least eight; 2^19 by default. */
  entriesMax?: number;
  /** Random by default, and secret, so that a client cannot construct two requests with the same hash. */
  seed?: number;
}

/**
 * Remembers charged requests in this process's memory: a 64-bit seeded hash and the time of each, in buckets of eight.
 * A full bucket evicts its oldest entry, so memory is limited to 16 bytes per entry.
 */
export class MemoryRepeatWindow extends RepeatWindow {
  private readonly hashes: Int32Array;
  private readonly times: Float64Array;
  private readonly bucketMask: number;
  private readonly nowMs: () => number;
  private readonly seed: number;
  /** The two halves of the last hash, kept in fields to avoid allocating an object per request. */
  low = 0;
  high = 0;

  constructor(options: MemoryRepeatsOptions = {}) {
    super();
    const { nowMs = monotonicMs, entriesMax = ENTRIES_MAX } = options;
    this.nowMs = nowMs;
    this.seed = options.seed ?? randomInt(2 ** 31);
    this.times = new Float64Array(entriesMax);
    this.hashes = new Int32Array(entriesMax * 2);
    this.bucketMask = entriesMax / BUCKET_ENTRIES - 1;
  }

  isRepeat(id: CounterId, question: string): boolean {
    this.hash(id, question);
    return this.find() !== -1;
  }

  /** Remembers a charged request. @returns false if the request was already remembered. */
  remember(id: CounterId, question: string): boolean {
    this.hash(id, question);
    return this.enter();
  }

  /** Remembers a request by the hash that another table with the same seed computed. */
  rememberHash(low: number, high: number): void {
    this.low = low;
    this.high = high;
    this.enter();
  }

  private enter(): boolean {
    if (this.find() !== -1) return false;
    const first = (this.low & this.bucketMask) * BUCKET_ENTRIES;
    let oldest = first;
    for (let entry = first + 1; entry < first + BUCKET_ENTRIES; entry++) {
      if (this.times[entry] < this.times[oldest]) oldest = entry;
    }
    this.hashes[oldest * 2] = this.low;
    this.hashes[oldest * 2 + 1] = this.high;
    this.times[oldest] = this.nowMs();
    return true;
  }

  private find(): number {
    const { low, high, hashes, times } = this;
    const first = (low & this.bucketMask) * BUCKET_ENTRIES;
    for (let entry = first; entry < first + BUCKET_ENTRIES; entry++) {
      if (hashes[entry * 2] !== low || hashes[entry * 2 + 1] !== high) continue;
      const time = times[entry];
      if (time > 0 && time > this.nowMs() - REPEAT_WINDOW_MS) return entry;
    }
    return -1;
  }

  private hash(id: CounterId, question: string): void {
    let low = Math.imul(this.seed ^ id.word1 ^ id.word0, 0x9e3779b1) ^ id.word2;
    let high = Math.imul(this.seed ^ id.word3, 0x85ebca6b) ^ id.word2;
    for (let i = 0; i < question.length; i++) {
      const unit = question.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x85ebca77);
      high = Math.imul(high ^ unit, 0x165667b1) ^ (low >>> 13);
    }
    low = Math.imul(low ^ (low >>> 16), 0x27d4eb2f);
    high = Math.imul(high ^ (high >>> 15), 0x9e3779b1);
    this.low = low ^ (high >>> 16);
    this.high = high ^ (low >>> 13);
  }
}
