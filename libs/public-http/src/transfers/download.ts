import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { HOUR_MS, ServiceUnavailable, monotonicMs } from '#libs/platform';
import { AnswerTimeout } from '../refusals.errors.js';
import { ReadingFloor } from './reading-floor.js';
import { refusalOf } from './refusal-of.js';
import { askedHeaders, fileAddress, fileHeaders } from './transfer-headers.js';
import { Transfer, type TransferEnd, TransferRefusal } from './transfer.js';

/**
 * After this time, a download is ended, because a client whose account was deleted could otherwise read a large file
 * for days. A client that continues with `Range` makes a new request, whose rights are checked.
 */
const DURATION_MAX_MS = 12 * HOUR_MS;

export class Download extends Transfer {
  private readonly floor = new ReadingFloor();
  private isAnswered = false;
  private readonly sentBeforeBytes = sentBytes(this.call.request.socket);
  /** When the owner last sent something, or the client was last waited for, by `monotonicMs`. */
  private heardMs = 0;

  protected get movedBytes(): number {
    return sentBytes(this.call.request.socket) - this.sentBeforeBytes;
  }

  /**
   * Stops the download if the owner does not begin to answer in time or falls silent, if the client reads more slowly
   * than the minimum rate, or after `DURATION_MAX_MS`.
   */
  look(nowMs: number): void {
    const { answerTimeoutMs, idleTimeoutMs, response } = this.call;
    if (!this.isAnswered) {
      if (nowMs - this.startedMs > answerTimeoutMs) this.stop(new AnswerTimeout());
      return;
    }
    const isReaderWaitedFor = response.writableNeedDrain;
    if (isReaderWaitedFor) this.heardMs = nowMs;
    const isSlow = this.floor.isBelow(nowMs, this.movedBytes, isReaderWaitedFor);
    const isLong = nowMs - this.startedMs >= DURATION_MAX_MS;
    if (isSlow || isLong || nowMs - this.heardMs > idleTimeoutMs) this.stop();
  }

  protected async pass(): Promise<TransferEnd | TransferRefusal> {
    const { operation, request } = this.call;
    const answer = await this.ask(askedHeaders(operation, request.headers), null);
    const { statusCode: status, headers, body } = answer;
    // The reader receives the stream's errors; without this handler, an abandoned stream would end the process.
    body.on('error', () => {});
    if (status >= 400) return refusalOf(operation, answer);
    const [form] = operation.answers;
    if (status === 200 || status === 206)
      return this.send(answer, fileHeaders(form, headers, status));
    body.destroy();
    if (status === 304) return this.say(304, fileHeaders(form, headers, status));
    const address = fileAddress(headers);
    if (address !== undefined) return this.say(302, ['Location', address]);
    return new TransferRefusal(new ServiceUnavailable(operation.owner.service));
  }

  private say(status: number, headers: readonly string[]): TransferEnd {
    this.begin(status, headers);
    this.call.response.end();
    return { status, isWhole: true };
  }

  private async send(
    { statusCode: status, body }: Dispatcher.ResponseData,
    headers: readonly string[],
  ): Promise<TransferEnd> {
    const { response } = this.call;
    this.begin(status, headers);
    this.isAnswered = true;
    this.heardMs = monotonicMs();
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        this.heardMs = monotonicMs();
        if (!response.write(chunk)) await once(response, 'drain', { signal: this.signal });
      }
      response.end();
      return { status, isWhole: true };
    } catch {
      // Only closing the connection can signal that announced data will not follow.
      response.destroy();
      return { status, isWhole: false };
    }
  }
}

/** Returns the number of bytes that the operating system has accepted. */
const sentBytes = ({ bytesWritten, writableLength }: Socket) => bytesWritten - writableLength;
