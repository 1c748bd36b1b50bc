import { monotonicMs } from '#libs/platform';
import type { CounterId } from './counter-id.js';
import { RequestWindow, type WindowAnswer } from './request-window.js';

const WINDOW_CELLS = 61;
/** Requests one cell holds; more in one second are refused. */
const CELL_MAX = 0xffff;

const CHUNK_BITS = 10;
const CHUNK_ROWS = 1 << CHUNK_BITS;
const ROWS_MAX = 1 << 18;

/** Places of a row's words: the id, its cell, the second last written, the oldest non-empty one. */
const WORD0 = 0;
const CELL = 4;
const LAST = 5;
const OLDEST = 6;
const TOTAL = 7;
const ROW_WORDS = 8;
/** `CELL` of a row that belongs to nobody. */
const FREE = -1;

/** Rows live in chunks, so that a growing table is never copied. */
class Chunk {
  readonly words = new Int32Array(CHUNK_ROWS * ROW_WORDS);
  readonly counts = new Uint16Array(CHUNK_ROWS * WINDOW_CELLS);
}

/**
 * The window of one process: 154 bytes a row, found by open addressing. Time is monotonic, so a step
 * of the wall clock neither frees nor locks anybody (S101). Rows that were idle for a whole window hold
 * nothing and are taken back; when all `rowsMax` are in use, further accounts are refused.
 */
export class MemoryRequestWindow extends RequestWindow {
  private readonly chunks: Chunk[] = [];
  private readonly index: Int32Array;
  private readonly indexMask: number;
  private readonly freeRows: number[] = [];
  private rowsUsed = 0;
  private sweepRow = 0;

  constructor(
    private readonly nowMs: () => number = monotonicMs,
    private readonly rowsMax = ROWS_MAX,
  ) {
    super();
    const size = 2 ** Math.ceil(Math.log2(rowsMax * 2));
    this.index = new Int32Array(size);
    this.indexMask = size - 1;
  }

  take(id: CounterId, cell: number, limit: number): WindowAnswer {
    const nowSeconds = this.nowMs() / 1000;
    const second = Math.floor(nowSeconds);
    const row = this.rowOf(id, cell, second);
    if (row === -1) return { allowed: false, remaining: 0, resetSeconds: 1 };
    const { words, counts } = this.chunks[row >> CHUNK_BITS];
    const base = (row & (CHUNK_ROWS - 1)) * ROW_WORDS;
    const cells = (row & (CHUNK_ROWS - 1)) * WINDOW_CELLS;
    this.advance(words, counts, base, cells, second);
    const place = cells + (second % WINDOW_CELLS);
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
      resetSeconds: Math.max(1, Math.ceil(oldest + WINDOW_CELLS - nowSeconds)),
    };
  }

  /** Rows in use, for metrics and tests. */
  get size(): number {
    return this.rowsUsed - this.freeRows.length;
  }

  /** Empties the cells between the row's last second and this one. */
  private advance(
    words: Int32Array,
    counts: Uint16Array,
    base: number,
    cells: number,
    second: number,
  ): void {
    const last = words[base + LAST];
    if (second === last) return;
    words[base + LAST] = second;
    if (words[base + TOTAL] === 0) return;
    const passed = Math.min(second - last, WINDOW_CELLS);
    for (let i = 1; i <= passed; i++) {
      const place = cells + ((last + i) % WINDOW_CELLS);
      words[base + TOTAL] -= counts[place];
      counts[place] = 0;
    }
    if (words[base + TOTAL] === 0) return;
    let oldest = Math.max(words[base + OLDEST], second - WINDOW_CELLS + 1);
    while (counts[cells + (oldest % WINDOW_CELLS)] === 0) oldest++;
    words[base + OLDEST] = oldest;
  }

  private rowOf(id: CounterId, cell: number, second: number): number {
    let slot = hashOf(id.word1, id.word2, id.word3, cell) & this.indexMask;
    for (let entry = this.index[slot]; entry !== 0; entry = this.index[slot]) {
      const row = entry - 1;
      const { words } = this.chunks[row >> CHUNK_BITS];
      const base = (row & (CHUNK_ROWS - 1)) * ROW_WORDS;
      if (
        words[base + WORD0 + 3] === id.word3 &&
        words[base + WORD0 + 2] === id.word2 &&
        words[base + WORD0 + 1] === id.word1 &&
        words[base + WORD0] === id.word0 &&
        words[base + CELL] === cell
      ) {
        return row;
      }
      slot = (slot + 1) & this.indexMask;
    }
    return this.insert(id, cell, second);
  }

  private insert(id: CounterId, cell: number, second: number): number {
    // Two rows looked at for each one added: the table shrinks as fast as it could grow.
    this.sweep(second, 2);
    const row = this.allocate(second);
    if (row === -1) return -1;
    const { words, counts } = this.chunks[row >> CHUNK_BITS];
    const local = row & (CHUNK_ROWS - 1);
    words.set([id.word0, id.word1, id.word2, id.word3, cell, second, second, 0], local * ROW_WORDS);
    counts.fill(0, local * WINDOW_CELLS, (local + 1) * WINDOW_CELLS);
    let slot = hashOf(id.word1, id.word2, id.word3, cell) & this.indexMask;
    while (this.index[slot] !== 0) slot = (slot + 1) & this.indexMask;
    this.index[slot] = row + 1;
    return row;
  }

  private allocate(second: number): number {
    if (this.freeRows.length === 0 && this.rowsUsed === this.rowsMax) {
      this.sweep(second, this.rowsMax);
    }
    const free = this.freeRows.pop();
    if (free !== undefined) return free;
    if (this.rowsUsed === this.rowsMax) return -1;
    const row = this.rowsUsed++;
    if (row >> CHUNK_BITS === this.chunks.length) this.chunks.push(new Chunk());
    return row;
  }

  /** Looks at up to `count` rows; stops at the first idle one and takes it back. */
  private sweep(second: number, count: number): void {
    for (let looked = 0; looked < count && this.rowsUsed > 0; looked++) {
      if (this.sweepRow >= this.rowsUsed) this.sweepRow = 0;
      const row = this.sweepRow++;
      const { words } = this.chunks[row >> CHUNK_BITS];
      const base = (row & (CHUNK_ROWS - 1)) * ROW_WORDS;
      if (words[base + CELL] === FREE || second - words[base + LAST] < WINDOW_CELLS) continue;
      this.unlink(row);
      words[base + CELL] = FREE;
      this.freeRows.push(row);
      return;
    }
  }

  /** Removes a row from the index and moves later entries of its run up, so that no probe breaks. */
  private unlink(row: number): void {
    let hole = this.homeOf(row);
    while (this.index[hole] !== row + 1) hole = (hole + 1) & this.indexMask;
    this.index[hole] = 0;
    for (
      let slot = (hole + 1) & this.indexMask;
      this.index[slot] !== 0;
      slot = (slot + 1) & this.indexMask
    ) {
      const home = this.homeOf(this.index[slot] - 1);
      const distanceFromHome = (slot - home) & this.indexMask;
      const distanceFromHole = (slot - hole) & this.indexMask;
      if (distanceFromHome < distanceFromHole) continue;
      this.index[hole] = this.index[slot];
      this.index[slot] = 0;
      hole = slot;
    }
  }

  private homeOf(row: number): number {
    const { words } = this.chunks[row >> CHUNK_BITS];
    const base = (row & (CHUNK_ROWS - 1)) * ROW_WORDS;
    const [word1, word2, word3] = [words[base + 1], words[base + 2], words[base + 3]];
    return hashOf(word1, word2, word3, words[base + CELL]) & this.indexMask;
  }
}

/** The first word of a UUIDv7 is its time: it would only crowd neighbours. */
function hashOf(word1: number, word2: number, word3: number, cell: number): number {
  let hash = Math.imul(word1 ^ (cell + 1), 0x9e3779b1);
  hash = Math.imul(hash ^ word2 ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ word3 ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
