import { randomInt } from 'node:crypto';
import { MemoryRepeats, type RepeatsShape, repeatsSizeBytes } from './memory-repeats.js';
import { SlotLocks, sharedMonotonicMs } from './slot-locks.js';

const SHAPE: RepeatsShape = { slots: 256, entriesMax: 1 << 19 };
/** The word of the memory's first header that holds the seed; the word before counts the threads. */
const SEED = 1;

/** Repeats of one process with several threads: the same table, each bucket under the lock of its slot. */
export class SharedRepeats extends MemoryRepeats {
  private readonly locks: SlotLocks;
  private readonly slotMask: number;

  /** Memory for all threads of a process, to be passed to each of them. */
  static memory(shape = SHAPE): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(repeatsSizeBytes(shape));
    new Int32Array(memory)[SEED] = randomInt(2 ** 31);
    return memory;
  }

  constructor(memory: SharedArrayBuffer, nowMs = sharedMonotonicMs(), shape = SHAPE) {
    super({ nowMs, shape, memory, seed: new Int32Array(memory)[SEED] });
    this.locks = new SlotLocks(this.words);
    this.slotMask = shape.slots - 1;
  }

  protected override isKnown(): boolean {
    const slot = this.lock();
    try {
      return super.isKnown();
    } finally {
      this.locks.unlock(slot);
    }
  }

  protected override enter(): boolean {
    const slot = this.lock();
    try {
      return super.enter();
    } finally {
      this.locks.unlock(slot);
    }
  }

  private lock(): number {
    const slot = this.bucket & this.slotMask;
    // Nothing to repair: an entry is whole once it has its time.
    this.locks.lock(slot);
    return slot;
  }
}
