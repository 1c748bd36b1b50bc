import { SECOND_MS } from '#libs/platform';

/** The minimum average rate of a reader or a sender, in bytes per second. */
export const FLOOR_BYTES_A_SECOND = 16 * 1024;
/** The reader's lead at the start: in the first minute, it need not read. */
export const CREDIT_AT_FIRST = 60 * FLOOR_BYTES_A_SECOND;
/**
 * The maximum lead of a reader over the minimum rate. The system accepts bytes in steps of a third of its buffer, more
 * than a mebibyte: a reader at the minimum rate seems to read nothing for more than a minute, and then everything at
 * once. A reader that stops reading is detected after about three minutes at most.
 */
export const CREDIT_MAX_BYTES = 3 * 1024 ** 2;

/**
 * Distinguishes a slow client from a client that keeps a download open without reading, or an upload without sending.
 */
export class ReadingFloor {
  private creditBytes = CREDIT_AT_FIRST;
  private last?: { atMs: number; takenBytes: number };

  /**
   * Whether the reader has used up its lead over the minimum rate. Call this once a second.
   * @param takenBytes the bytes sent or received since the beginning.
   * @param isReaderWaitedFor false if there is nothing to read, which is not the reader's fault.
   */
  isBelow(nowMs: number, takenBytes: number, isReaderWaitedFor: boolean): boolean {
    const { last = { atMs: nowMs, takenBytes: 0 } } = this;
    this.last = { atMs: nowMs, takenBytes };
    const elapsedMs = isReaderWaitedFor ? nowMs - last.atMs : 0;
    const dueBytes = (FLOOR_BYTES_A_SECOND * elapsedMs) / SECOND_MS;
    const credit = this.creditBytes + takenBytes - last.takenBytes - dueBytes;
    this.creditBytes = Math.min(CREDIT_MAX_BYTES, credit);
    return credit < 0;
  }
}
