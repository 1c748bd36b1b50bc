import type { CounterId } from './counter-id.js';
import { hashOf } from './memory-request-window.js';
import { SLOT_WORDS, SlotLocks } from './slot-locks.js';

const SLOTS = 64;
const BUCKET_ENTRIES = 8;
const ENTRIES = 1 << 18;
/** Places of an entry's words: the id, its day. */
const DAY = 4;
const ENTRY_WORDS = 6;
const HEADERS_BYTES = (SLOTS + 1) * SLOT_WORDS * 4;

/**
 * Credits that each key has spent in a day, in memory that threads may share: 32 bytes a key, in buckets
 * of eight, each under a lock. A full bucket gives up the key that has spent least.
 */
export class DailyCredits {
  private readonly words: Int32Array;
  private readonly credits: Float64Array;
  private readonly locks: SlotLocks;

  /** Memory for all threads of a process, to be passed to each of them. */
  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(HEADERS_BYTES + ENTRIES * (8 + ENTRY_WORDS * 4));
  }

  constructor(memory = DailyCredits.memory()) {
    this.credits = new Float64Array(memory, HEADERS_BYTES, ENTRIES);
    this.words = new Int32Array(memory, HEADERS_BYTES + ENTRIES * 8, ENTRIES * ENTRY_WORDS);
    this.locks = new SlotLocks(new Int32Array(memory, 0, HEADERS_BYTES / 4));
  }

  /** True when the key is counted, whichever its day. */
  has(id: CounterId): boolean {
    return this.locked(id, (first) => this.find(first, id) !== -1);
  }

  /** Begins a key's count; does nothing when it is counted already. `day` is not 0. */
  begin(id: CounterId, day: number, credits: number): void {
    this.locked(id, (first) => {
      if (this.find(first, id) === -1) this.enter(first, id, { day, credits });
    });
  }

  /** Adds `cost` unless the key's day would pass `cap`. @returns whether it was added. */
  add(id: CounterId, day: number, { cost, cap }: { cost: number; cap: number }): boolean {
    return this.locked(id, (first) => {
      const found = this.find(first, id);
      const isToday = found !== -1 && this.words[found * ENTRY_WORDS + DAY] === day;
      const spent = isToday ? this.credits[found] : 0;
      if (spent + cost > cap) return false;
      if (isToday) this.credits[found] = spent + cost;
      else this.enter(first, id, { day, credits: cost });
      return true;
    });
  }

  /** Takes credits off a day's count; what belongs to another day is left as it is. */
  takeOff(id: CounterId, day: number, credits: number): void {
    this.locked(id, (first) => {
      const found = this.find(first, id);
      if (found === -1 || this.words[found * ENTRY_WORDS + DAY] !== day) return;
      this.credits[found] -= credits;
    });
  }

  /** What a thread leaves half done here is whole enough: an entry counts once it has its day. */
  private locked<T>(id: CounterId, work: (first: number) => T): T {
    const bucket = hashOf(id.word1, id.word2, id.word3, 0) & (ENTRIES / BUCKET_ENTRIES - 1);
    const slot = bucket & (SLOTS - 1);
    this.locks.lock(slot);
    try {
      return work(bucket * BUCKET_ENTRIES);
    } finally {
      this.locks.unlock(slot);
    }
  }

  private find(first: number, id: CounterId): number {
    const { words } = this;
    for (let entry = first; entry < first + BUCKET_ENTRIES; entry++) {
      const base = entry * ENTRY_WORDS;
      if (
        words[base + DAY] !== 0 &&
        words[base + 3] === id.word3 &&
        words[base + 2] === id.word2 &&
        words[base + 1] === id.word1 &&
        words[base] === id.word0
      ) {
        return entry;
      }
    }
    return -1;
  }

  /** In the key's own entry, a free one, or that of an earlier day, or that of the least credits. */
  private enter(
    first: number,
    id: CounterId,
    { day, credits }: { day: number; credits: number },
  ): void {
    const { words } = this;
    let entry = this.find(first, id);
    if (entry === -1) entry = this.leastOf(first, day);
    const base = entry * ENTRY_WORDS;
    words[base + DAY] = 0;
    words.set([id.word0, id.word1, id.word2, id.word3], base);
    this.credits[entry] = credits;
    words[base + DAY] = day;
  }

  private leastOf(first: number, day: number): number {
    let [least, leastSpent] = [first, Infinity];
    for (let entry = first; entry < first + BUCKET_ENTRIES; entry++) {
      const itsDay = this.words[entry * ENTRY_WORDS + DAY];
      const spent = itsDay === 0 ? -2 : itsDay === day ? this.credits[entry] : -1;
      if (spent < leastSpent) [least, leastSpent] = [entry, spent];
    }
    return least;
  }
}
