import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HEADERS_MAX_BYTES } from '#libs/public-http';
import type { BytesInPlace } from '../context/owner-answer.js';
import type { ApiRequest, Reply } from '../context/request-context.js';
import type { AnswerBuffer } from './answer-buffer.js';
import type { HttpDate } from './http-date.js';
import { readPlainRequest } from './plain-request.js';

export interface PlainConnectionOwner {
  date: HttpDate;
  /** The headers `Connection` and `Keep-Alive` of an answer that leaves the connection open. */
  keepAliveLines: string;
  /** True during a drain, in which every answer is the last one on its connection. */
  isDraining: boolean;
  answers: AnswerBuffer;
  /** Starts handling a request. @returns false if the target is not an operation of the API. */
  take(request: ApiRequest, reply: Reply, target: string): boolean;
  /** Limits the time in which a client must read an answer that it did not accept at once. */
  awaitReader(connection: PlainConnection): void;
  /** Passes the socket to Node's HTTP server, with the data that the client has sent. */
  handOver(connection: PlainConnection, packet: Buffer): void;
  closed(connection: PlainConnection): void;
}

const CLOSE_LINE = 'Connection: close\r\n';
/**
 * Reading stops once more than this many bytes have arrived before the current request is answered. With the last read
 * and the stream's queue, 190 KB may accumulate. The limit is not lower, because a disconnect is noticed only while the
 * gateway reads from the client.
 */
const EARLY_MAX_BYTES = HEADERS_MAX_BYTES;

/**
 * A client connection that has carried only small `GET` requests so far, one after another and each in one packet, as
 * nearly every API client sends them. Node's HTTP server creates a dozen objects per request; here, two regular
 * expressions read the packet and one write answers it. Any other packet hands the socket over to Node for good.
 */
export class PlainConnection implements ApiRequest, Reply {
  /** How many ticks the connection has been idle since its last answer, or since it was opened. */
  quietTicks = 0;
  hasAsked = false;
  rawHeaders: readonly string[] = [];
  private isAnswering = false;
  /** Bytes that arrived before the previous request was answered. */
  private early?: Buffer = undefined;

  constructor(
    readonly socket: Socket,
    private readonly owner: PlainConnectionOwner,
  ) {
    socket.push = this.push;
    socket.on('data', this.receive);
    socket.on('end', this.leave);
    socket.on('error', this.leave);
    socket.on('close', this.closed);
  }

  /** True if no request is running and the last answer has been sent. */
  get isIdle(): boolean {
    return !this.isAnswering && !this.socket.writableNeedDrain;
  }

  /** Answers the current request, as `ApiResponse.sendWhole` does. */
  sendWhole(status: number, lines: string, body: string): void {
    const { socket, owner } = this;
    const { date, isDraining, keepAliveLines } = owner;
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}Date: ${date.now()}\r\n` +
        `${isDraining ? CLOSE_LINE : keepAliveLines}Content-Length: ${body.length}\r\n\r\n${body}`,
      'latin1',
    );
    this.answered();
  }

  /**
   * Answers the current request as `sendWhole` does, but copies the bytes once and never converts
   * them to a string.
   */
  sendInPlace(status: number, lines: string, before: BytesInPlace, rest: string): void {
    const { date, isDraining, keepAliveLines, answers } = this.owner;
    const length = before.end - before.start + rest.length;
    const head =
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}Date: ${date.now()}\r\n` +
      `${isDraining ? CLOSE_LINE : keepAliveLines}Content-Length: ${length}\r\n\r\n`;
    answers.write(this.socket, head, before, rest);
    this.answered();
  }

  private answered(): void {
    const { socket, owner } = this;
    this.isAnswering = false;
    this.rawHeaders = [];
    this.quietTicks = 0;
    if (socket.writableNeedDrain) owner.awaitReader(this);
    if (owner.isDraining) socket.destroySoon();
    else if (this.early !== undefined) setImmediate(this.receiveEarly);
  }

  /**
   * Answers the current request and closes the connection, as `ApiResponse.sendLast` does. It is
   * not an option of `sendWhole`, because that would add a check to every answer.
   */
  sendLast(status: number, lines: string, body: string): void {
    const { socket, owner } = this;
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}Date: ${owner.date.now()}\r\n` +
        `${CLOSE_LINE}Content-Length: ${body.length}\r\n\r\n${body}`,
      'latin1',
    );
    this.isAnswering = false;
    this.quietTicks = 0;
    if (socket.writableNeedDrain) owner.awaitReader(this);
    socket.destroySoon();
  }

  /**
   * Replaces the stream's own `push`, which Node calls with the data that it has read. The stream's queue, and its
   * check for more data after each packet, took a twentieth of a request's time. A client that waits for each answer
   * needs neither. The first early packet, or the end of the stream, restores the original method.
   */
  private readonly push = (packet: Buffer | null): boolean => {
    const { socket } = this;
    if (packet === null || this.isAnswering || this.early !== undefined) {
      this.leavePush();
      return socket.push(packet);
    }
    this.receive(packet);
    return true;
  };

  private leavePush(): void {
    delete (this.socket as Partial<Socket>).push;
  }

  private readonly receive = (packet: Buffer): void => {
    const { socket, owner } = this;
    // No request is accepted after the last answer; it could be charged but not answered.
    if (!socket.writable) return;
    if (this.isAnswering || this.early !== undefined) return this.receiveLater(packet);
    // If the client has not accepted the previous answer yet, Node takes over.
    const isPlain = socket.writableLength === 0 && !owner.isDraining;
    const request = isPlain ? readPlainRequest(packet.toString('latin1')) : undefined;
    if (request === undefined) return this.handOver(packet);
    this.rawHeaders = request.rawHeaders;
    this.isAnswering = this.hasAsked = true;
    if (owner.take(this, this, request.target)) return;
    this.isAnswering = false;
    this.handOver(packet);
  };

  private receiveLater(packet: Buffer): void {
    this.early = this.early === undefined ? packet : Buffer.concat([this.early, packet]);
    if (this.early.length > EARLY_MAX_BYTES) this.socket.pause();
  }

  private readonly receiveEarly = (): void => {
    const packet = this.early!;
    this.early = undefined;
    this.socket.resume();
    this.receive(packet);
  };

  private handOver(packet: Buffer): void {
    const { socket } = this;
    this.leavePush();
    socket.off('data', this.receive);
    socket.off('end', this.leave);
    socket.off('error', this.leave);
    socket.off('close', this.closed);
    this.owner.handOver(this, packet);
  }

  /**
   * A client that has closed its side of the connection counts as disconnected: a running request ends without a
   * charge. An answer that was already charged is still sent.
   */
  private readonly leave = (): void => {
    if (this.isAnswering) this.socket.destroy();
    else this.socket.destroySoon();
  };

  private readonly closed = (): void => this.owner.closed(this);
}
