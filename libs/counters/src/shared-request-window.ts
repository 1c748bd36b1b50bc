import type { CounterId } from './counter-id.js';
import {
  MemoryRequestWindow,
  type WindowShape,
  hashOf,
  windowSizeBytes,
} from './memory-request-window.js';
import type { WindowAnswer } from './request-window.js';
import { SlotLocks, sharedMonotonicMs } from './slot-locks.js';

const SHAPE: WindowShape = { slots: 256, rowsPerSlot: 1024 };

/**
 * The window of one process with several threads: the same table in shared memory, each check-and-add
 * under the lock of its slot, so that all threads together admit exactly the limit.
 */
export class SharedRequestWindow extends MemoryRequestWindow {
  private readonly locks: SlotLocks;

  /** Memory for all threads of a process, to be passed to each of them. */
  static memory(shape = SHAPE): SharedArrayBuffer {
    return new SharedArrayBuffer(windowSizeBytes(shape));
  }

  constructor(memory: SharedArrayBuffer, nowMs = sharedMonotonicMs(), shape = SHAPE) {
    super(nowMs, shape, memory);
    this.locks = new SlotLocks(this.words);
  }

  override take(id: CounterId, quota: number, limit: number): WindowAnswer {
    const hash = hashOf(id.word1, id.word2, id.word3, quota);
    const slot = this.slotOf(hash);
    if (this.locks.lock(slot)) this.repair(slot);
    try {
      return this.takeHashed(hash, id, quota, limit);
    } finally {
      this.locks.unlock(slot);
    }
  }
}
