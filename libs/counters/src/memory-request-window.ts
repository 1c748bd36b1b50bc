import { monotonicMs } from '#libs/platform';
import type { CounterId } from './counter-id.js';
import { RequestWindow, WINDOW_SECONDS, type WindowAnswer } from './request-window.js';
import { SLOT_OWN, SLOT_WORDS } from './slot-locks.js';

/** Requests one cell holds; more in one second are refused. */
const CELL_MAX = 0xffff;
const ROWS_MAX = 1 << 18;

/** Places of a row's words: the id, its quota, the second last written, the oldest non-empty one. */
const WORD0 = 0;
const QUOTA = 4;
const LAST = 5;
const OLDEST = 6;
const TOTAL = 7;
const ROW_WORDS = 8;
/** `QUOTA` of a row that belongs to nobody; its first word is the next such row, plus one. */
const FREE = -1;

/** Places of a slot's header: rows ever used, how many of them are free, the first, the next to sweep. */
const ROWS_USED = SLOT_OWN;
const FREE_COUNT = SLOT_OWN + 1;
const FREE_FIRST = SLOT_OWN + 2;
const SWEEP_ROW = SLOT_OWN + 3;

/** How a window's table is cut: each slot is a table of its own. */
export interface WindowShape {
  slots: number;
  rowsPerSlot: number;
}

/** Bytes of a window's table. */
export function windowSizeBytes({ slots, rowsPerSlot }: WindowShape): number {
  const headers = (slots + 1) * SLOT_WORDS * 4;
  const index = slots * indexSizeOf(rowsPerSlot) * 4;
  return headers + index + slots * rowsPerSlot * (ROW_WORDS * 4 + WINDOW_SECONDS * 2);
}

/**
 * The window of one process: 154 bytes a row, found by open addressing. Time is monotonic, so a step
 * of the wall clock neither frees nor locks anybody (S101). Rows that were idle for a whole window hold
 * nothing and are taken back; when all of a slot's are in use, further accounts are refused. All state
 * lies in `memory`, whose pages the system provides only when they are written.
 */
export class MemoryRequestWindow extends RequestWindow {
  protected readonly words: Int32Array;
  private readonly counts: Uint16Array;
  private readonly slotMask: number;
  private readonly rowsPerSlot: number;
  private readonly indexSize: number;
  private readonly indexMask: number;
  private readonly indexStart: number;
  private readonly rowsStart: number;

  constructor(
    private readonly nowMs: () => number = monotonicMs,
    shape: WindowShape = { slots: 1, rowsPerSlot: ROWS_MAX },
    memory: ArrayBuffer | SharedArrayBuffer = new ArrayBuffer(windowSizeBytes(shape)),
  ) {
    super();
    const { slots, rowsPerSlot } = shape;
    this.words = new Int32Array(memory, 0, Math.floor(memory.byteLength / 4));
    this.slotMask = slots - 1;
    this.rowsPerSlot = rowsPerSlot;
    this.indexSize = indexSizeOf(rowsPerSlot);
    this.indexMask = this.indexSize - 1;
    this.indexStart = (slots + 1) * SLOT_WORDS;
    this.rowsStart = this.indexStart + slots * this.indexSize;
    this.counts = new Uint16Array(memory, (this.rowsStart + slots * rowsPerSlot * ROW_WORDS) * 4);
  }

  take(id: CounterId, quota: number, limit: number): WindowAnswer {
    return this.takeHashed(hashOf(id.word1, id.word2, id.word3, quota), id, quota, limit);
  }

  /** Rows in use, for metrics and tests. */
  get size(): number {
    let size = 0;
    for (let slot = 0; slot <= this.slotMask; slot++) {
      const header = (slot + 1) * SLOT_WORDS;
      size += this.words[header + ROWS_USED] - this.words[header + FREE_COUNT];
    }
    return size;
  }

  /** The index uses a hash's low bits, the slots its high ones. */
  protected slotOf(hash: number): number {
    return (hash >>> 20) & this.slotMask;
  }

  protected takeHashed(hash: number, id: CounterId, quota: number, limit: number): WindowAnswer {
    const nowSeconds = this.nowMs() / 1000;
    const { words, counts } = this;
    const row = this.rowOf(hash, id, quota, Math.floor(nowSeconds));
    if (row === -1) return { allowed: false, remaining: 0, resetSeconds: 1 };
    const base = this.rowsStart + row * ROW_WORDS;
    const cells = row * WINDOW_SECONDS;
    // Threads may differ by a little in what they think the time is: it never goes back.
    const second = Math.max(Math.floor(nowSeconds), words[base + LAST]);
    this.advance(base, cells, second);
    const place = cells + (second % WINDOW_SECONDS);
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
      resetSeconds: Math.max(1, Math.ceil(oldest + WINDOW_SECONDS - Math.max(nowSeconds, second))),
    };
  }

  /** Makes a slot whole again in which a thread ended: sums and index follow from rows and cells. */
  protected repair(slot: number): void {
    const { words } = this;
    const header = (slot + 1) * SLOT_WORDS;
    words.fill(0, this.indexOf(slot), this.indexOf(slot) + this.indexSize);
    words[header + FREE_COUNT] = words[header + FREE_FIRST] = 0;
    const first = slot * this.rowsPerSlot;
    for (let row = first; row < first + words[header + ROWS_USED]; row++) {
      const base = this.rowsStart + row * ROW_WORDS;
      if (words[base + QUOTA] === FREE) this.release(header, row);
      else {
        this.sum(row);
        this.link(this.hashOfRow(row), row);
      }
    }
  }

  private sum(row: number): void {
    const { words, counts } = this;
    const base = this.rowsStart + row * ROW_WORDS;
    const last = words[base + LAST];
    let [total, oldest] = [0, last];
    for (let second = last; second > last - WINDOW_SECONDS && second >= 0; second--) {
      const count = counts[row * WINDOW_SECONDS + (second % WINDOW_SECONDS)];
      if (count > 0) [total, oldest] = [total + count, second];
    }
    words[base + TOTAL] = total;
    words[base + OLDEST] = oldest;
  }

  /** Empties the cells between the row's last second and this one. */
  private advance(base: number, cells: number, second: number): void {
    const { words, counts } = this;
    const last = words[base + LAST];
    if (second === last) return;
    words[base + LAST] = second;
    if (words[base + TOTAL] === 0) return;
    const passed = Math.min(second - last, WINDOW_SECONDS);
    for (let i = 1; i <= passed; i++) {
      const place = cells + ((last + i) % WINDOW_SECONDS);
      words[base + TOTAL] -= counts[place];
      counts[place] = 0;
    }
    if (words[base + TOTAL] === 0) return;
    let oldest = Math.max(words[base + OLDEST], second - WINDOW_SECONDS + 1);
    while (oldest < second && counts[cells + (oldest % WINDOW_SECONDS)] === 0) oldest++;
    words[base + OLDEST] = oldest;
  }

  private rowOf(hash: number, id: CounterId, quota: number, second: number): number {
    const { words } = this;
    const index = this.indexOf(this.slotOf(hash));
    let place = hash & this.indexMask;
    for (let entry = words[index + place]; entry !== 0; entry = words[index + place]) {
      const row = entry - 1;
      const base = this.rowsStart + row * ROW_WORDS;
      if (
        words[base + WORD0 + 3] === id.word3 &&
        words[base + WORD0 + 2] === id.word2 &&
        words[base + WORD0 + 1] === id.word1 &&
        words[base + WORD0] === id.word0 &&
        words[base + QUOTA] === quota
      ) {
        return row;
      }
      place = (place + 1) & this.indexMask;
    }
    return this.insert(hash, id, quota, second);
  }

  private insert(hash: number, id: CounterId, quota: number, second: number): number {
    const slot = this.slotOf(hash);
    // Two rows looked at for each one added: the table shrinks as fast as it could grow.
    this.sweep(slot, second, 2);
    const row = this.allocate(slot, second);
    if (row === -1) return -1;
    const { words, counts } = this;
    const base = this.rowsStart + row * ROW_WORDS;
    counts.fill(0, row * WINDOW_SECONDS, (row + 1) * WINDOW_SECONDS);
    words[base + WORD0] = id.word0;
    words[base + WORD0 + 1] = id.word1;
    words[base + WORD0 + 2] = id.word2;
    words[base + WORD0 + 3] = id.word3;
    words[base + LAST] = words[base + OLDEST] = second;
    words[base + TOTAL] = 0;
    words[base + QUOTA] = quota;
    this.link(hash, row);
    return row;
  }

  private link(hash: number, row: number): void {
    const index = this.indexOf(this.slotOf(hash));
    let place = hash & this.indexMask;
    while (this.words[index + place] !== 0) place = (place + 1) & this.indexMask;
    this.words[index + place] = row + 1;
  }

  private allocate(slot: number, second: number): number {
    const { words, rowsPerSlot } = this;
    const header = (slot + 1) * SLOT_WORDS;
    const isFull = words[header + ROWS_USED] === rowsPerSlot;
    if (words[header + FREE_COUNT] === 0 && isFull) this.sweep(slot, second, rowsPerSlot);
    if (words[header + FREE_COUNT] > 0) {
      const row = words[header + FREE_FIRST] - 1;
      words[header + FREE_FIRST] = words[this.rowsStart + row * ROW_WORDS];
      words[header + FREE_COUNT]--;
      return row;
    }
    if (isFull) return -1;
    return slot * rowsPerSlot + words[header + ROWS_USED]++;
  }

  private release(header: number, row: number): void {
    const { words } = this;
    const base = this.rowsStart + row * ROW_WORDS;
    words[base + QUOTA] = FREE;
    words[base] = words[header + FREE_FIRST];
    words[header + FREE_FIRST] = row + 1;
    words[header + FREE_COUNT]++;
  }

  /** Looks at up to `count` rows; stops at the first idle one and takes it back. */
  private sweep(slot: number, second: number, count: number): void {
    const { words } = this;
    const header = (slot + 1) * SLOT_WORDS;
    for (let looked = 0; looked < count && words[header + ROWS_USED] > 0; looked++) {
      if (words[header + SWEEP_ROW] >= words[header + ROWS_USED]) words[header + SWEEP_ROW] = 0;
      const row = slot * this.rowsPerSlot + words[header + SWEEP_ROW]++;
      const base = this.rowsStart + row * ROW_WORDS;
      if (words[base + QUOTA] === FREE || second - words[base + LAST] < WINDOW_SECONDS) continue;
      this.unlink(slot, row);
      this.release(header, row);
      return;
    }
  }

  /** Removes a row from the index and moves later entries of its run up, so that no probe breaks. */
  private unlink(slot: number, row: number): void {
    const { words, indexMask } = this;
    const index = this.indexOf(slot);
    let hole = this.hashOfRow(row) & indexMask;
    while (words[index + hole] !== row + 1) {
      // Not in the index: only what a thread left behind that ended in the middle of a change.
      if (words[index + hole] === 0) return;
      hole = (hole + 1) & indexMask;
    }
    words[index + hole] = 0;
    for (
      let place = (hole + 1) & indexMask;
      words[index + place] !== 0;
      place = (place + 1) & indexMask
    ) {
      const home = this.hashOfRow(words[index + place] - 1) & indexMask;
      const distanceFromHome = (place - home) & indexMask;
      const distanceFromHole = (place - hole) & indexMask;
      if (distanceFromHome < distanceFromHole) continue;
      words[index + hole] = words[index + place];
      words[index + place] = 0;
      hole = place;
    }
  }

  private indexOf(slot: number): number {
    return this.indexStart + slot * this.indexSize;
  }

  private hashOfRow(row: number): number {
    const { words } = this;
    const base = this.rowsStart + row * ROW_WORDS;
    return hashOf(words[base + 1], words[base + 2], words[base + 3], words[base + QUOTA]);
  }
}

function indexSizeOf(rowsPerSlot: number): number {
  return 2 ** Math.ceil(Math.log2(rowsPerSlot * 2));
}

/** The first word of a UUIDv7 is its time: it would only crowd neighbours. */
export function hashOf(word1: number, word2: number, word3: number, quota: number): number {
  let hash = Math.imul(word1 ^ (quota + 1), 0x9e3779b1);
  hash = Math.imul(hash ^ word2 ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ word3 ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
