import type { Socket } from 'node:net';
import type { BytesInPlace } from '../context/owner-answer.js';

const CHUNK_BYTES = 64 * 1024;

/**
 * The buffer in which answers are assembled. The kernel accepts nearly every answer at once, so the next answer can
 * reuse the same bytes. If it does not, the next answer is placed after the pending one.
 */
export class AnswerBuffer {
  private chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  private start = 0;

  /** @param head the start of the answer; both `head` and `rest` have one character per byte. */
  write(socket: Socket, head: string, { bytes, start, end }: BytesInPlace, rest: string): void {
    const length = head.length + (end - start) + rest.length;
    if (this.chunk.length - this.start < length) this.renew(length);
    const { chunk, start: first } = this;
    let place = first + chunk.write(head, first, 'latin1');
    place += bytes.copy(chunk, place, start, end);
    place += chunk.write(rest, place, 'latin1');
    socket.write(chunk.subarray(first, place));
    if (socket.writableLength > 0) this.start = place;
  }

  private renew(length: number): void {
    this.chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, length));
    this.start = 0;
  }
}
