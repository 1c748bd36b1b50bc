import { SECOND_MS } from '#libs/platform';

/** The least average rate of a reader or a sender, in bytes a second. */
export const FLOOR_BYTES_A_SECOND = 16 * 1024;
/** For a minute nothing need be taken. */
const CREDIT_AT_FIRST = 60 * FLOOR_BYTES_A_SECOND;
/**
 * How far ahead of the floor a reader can be. The system takes bytes off our hands in steps of a third of its buffer,
 * more than a mebibyte: whoever reads as fast as the floor is seen to take nothing for more than a minute, and then
 * all at once. Whoever reads nothing is found after about three minutes.
 */
export const CREDIT_MAX_BYTES = 3 * 1024 ** 2;

/** Tells a client that is slow from one that holds a download without reading, or an upload without sending. */
export class ReadingFloor {
  private creditBytes = CREDIT_AT_FIRST;
  private last?: { atMs: number; takenBytes: number };

  /**
   * Whether the reader has fallen behind the floor by all that it was ahead. To be asked about once a second.
   * @param takenBytes what has left, or come, since the beginning.
   * @param isReaderWaitedFor false where there is nothing to take: that is not the reader's doing.
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
