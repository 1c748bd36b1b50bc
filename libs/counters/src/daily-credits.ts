import type { CounterId } from './counter-id.js';
import { hashOf } from './memory-request-window.js';
import { SLOT_OWN, SLOT_WORDS, SlotLocks } from './slot-locks.js';

const SLOTS = 64;
/** Places in a slot's header. */
const DAY = SLOT_OWN;
const USED = SLOT_OWN + 1;
/** Words of an entry: the id, and whether there is one. */
const TAKEN = 4;
const ENTRY_WORDS = 6;
const HEADERS_BYTES = (SLOTS + 1) * SLOT_WORDS * 4;

/** Each a power of two. */
export interface DailyCreditsSize {
  /** Entries of one of the 64 slots, an eighth of which stays free, so that a search ends soon. */
  slotEntries: number;
}

const SIZE: DailyCreditsSize = { slotEntries: 4_096 };

/** `full`: no entry is free, the key has no count and nothing was added. */
export type DailyAddition = 'added' | 'over' | 'full';

/**
 * Credits that each key has spent in a day, in memory that threads may share: 32 bytes a key, in 64
 * slots, each under a lock and found by open addressing.
 *
 * No count is given up before its day is over: a slot holds the counts of one day, is emptied at the
 * first question of a later one, and takes no further key when it is full (229,376 keys that have spent
 * something in a day). So a key without an entry has spent exactly nothing of the slot's day in this
 * process. Where the clock steps back over midnight the later day goes on; by more than a day, a new
 * one begins, lest a clock that was years ahead held the caps of that day for ever.
 */
export class DailyCredits {
  private readonly headers: Int32Array;
  private readonly words: Int32Array;
  private readonly credits: Float64Array;
  private readonly locks: SlotLocks;
  private readonly slotEntries: number;

  /** Memory for all threads of a process, to be passed to each of them. */
  static memory({ slotEntries } = SIZE): SharedArrayBuffer {
    return new SharedArrayBuffer(HEADERS_BYTES + SLOTS * slotEntries * (8 + ENTRY_WORDS * 4));
  }

  constructor(memory = DailyCredits.memory()) {
    const entries = (memory.byteLength - HEADERS_BYTES) / (8 + ENTRY_WORDS * 4);
    this.slotEntries = entries / SLOTS;
    this.headers = new Int32Array(memory, 0, HEADERS_BYTES / 4);
    this.credits = new Float64Array(memory, HEADERS_BYTES, entries);
    this.words = new Int32Array(memory, HEADERS_BYTES + entries * 8, entries * ENTRY_WORDS);
    this.locks = new SlotLocks(this.headers);
  }

  /** True when the key has a count of this day. */
  has(id: CounterId, day: number): boolean {
    return this.locked(id, (slot, hash) => {
      this.turnTo(slot, day);
      return this.isTaken(this.find(slot, hash, id));
    });
  }

  /**
   * Begins a key's count of a day; does nothing when there is one. `day` is not 0.
   * @returns false when no entry is free.
   */
  begin(id: CounterId, day: number, credits: number): boolean {
    return this.locked(id, (slot, hash) => {
      this.turnTo(slot, day);
      const entry = this.find(slot, hash, id);
      return this.isTaken(entry) || credits === 0 || this.enter(slot, entry, { id, credits });
    });
  }

  /** Adds `cost` (not 0) unless the key's day would pass `cap`. */
  add(id: CounterId, day: number, { cost, cap }: { cost: number; cap: number }): DailyAddition {
    return this.locked(id, (slot, hash) => {
      this.turnTo(slot, day);
      const entry = this.find(slot, hash, id);
      const isTaken = this.isTaken(entry);
      if ((isTaken ? this.credits[entry] : 0) + cost > cap) return 'over';
      if (!isTaken) return this.enter(slot, entry, { id, credits: cost }) ? 'added' : 'full';
      this.credits[entry] += cost;
      return 'added';
    });
  }

  /** Takes credits off a day's count; what belongs to another day is left as it is. */
  takeOff(id: CounterId, day: number, credits: number): void {
    this.locked(id, (slot, hash) => {
      if (this.headers[(slot + 1) * SLOT_WORDS + DAY] !== day) return;
      const entry = this.find(slot, hash, id);
      if (this.isTaken(entry)) this.credits[entry] -= credits;
    });
  }

  /** What a thread leaves half done here is whole enough: an entry counts once it is taken. */
  private locked<T>(id: CounterId, work: (slot: number, hash: number) => T): T {
    const hash = hashOf(id.word1, id.word2, id.word3, 0);
    const slot = hash & (SLOTS - 1);
    this.locks.lock(slot);
    try {
      return work(slot, hash >>> 6);
    } finally {
      this.locks.unlock(slot);
    }
  }

  private turnTo(slot: number, day: number): void {
    const header = (slot + 1) * SLOT_WORDS;
    const its = this.headers[header + DAY];
    if (day === its || day === its - 1) return;
    const first = slot * this.slotEntries * ENTRY_WORDS;
    this.words.fill(0, first, first + this.slotEntries * ENTRY_WORDS);
    this.headers[header + USED] = 0;
    this.headers[header + DAY] = day;
  }

  /** @returns the key's entry, or the free one where it would come to be. */
  private find(slot: number, hash: number, id: CounterId): number {
    const { words, slotEntries } = this;
    const first = slot * slotEntries;
    for (let at = hash & (slotEntries - 1); ; at = (at + 1) & (slotEntries - 1)) {
      const base = (first + at) * ENTRY_WORDS;
      if (
        words[base + TAKEN] === 0 ||
        (words[base + 3] === id.word3 &&
          words[base + 2] === id.word2 &&
          words[base + 1] === id.word1 &&
          words[base] === id.word0)
      ) {
        return first + at;
      }
    }
  }

  private isTaken(entry: number): boolean {
    return this.words[entry * ENTRY_WORDS + TAKEN] === 1;
  }

  private enter(
    slot: number,
    entry: number,
    { id, credits }: { id: CounterId; credits: number },
  ): boolean {
    const used = (slot + 1) * SLOT_WORDS + USED;
    if (this.headers[used] >= this.slotEntries - this.slotEntries / 8) return false;
    this.headers[used]++;
    const base = entry * ENTRY_WORDS;
    this.words.set([id.word0, id.word1, id.word2, id.word3], base);
    this.credits[entry] = credits;
    this.words[base + TAKEN] = 1;
    return true;
  }
}
