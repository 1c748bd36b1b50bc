import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HEADERS_MAX_BYTES } from '#libs/public-http';
import type { BytesInPlace } from '../context/owner-answer.js';
import type { ApiRequest, Reply } from '../context/request-context.js';
import type { AnswerBuffer } from './answer-buffer.js';
import type { HttpDate } from './http-date.js';
import { readPlainRequest } from './plain-request.js';

/** The part of a listener that its plain connections use. */
export interface PlainConnectionOwner {
  date: HttpDate;
  /** The headers `Connection` and `Keep-Alive` of an answer after which the connection stays open. */
  keepAliveLines: string;
  /** True during a drain: every answer is then the last one on its connection. */
  isDraining: boolean;
  /** The buffer in which answers are assembled. */
  answers: AnswerBuffer;
  /** Begins a context; false if the target is not an operation of the API. */
  take(request: ApiRequest, reply: Reply, target: string): boolean;
  /** Limits how long a client may take to read an answer that it did not accept at once. */
  awaitReader(connection: PlainConnection): void;
  /** Passes the socket to Node's HTTP server, with the data it has sent. */
  handOver(connection: PlainConnection, packet: Buffer): void;
  closed(connection: PlainConnection): void;
}

const CLOSE_LINE = 'Connection: close\r\n';
/**
 * Maximum number of bytes read ahead of an answer; the last read and the stream's queue come on top of that, 190 KB in
 * all. A disconnect is noticed only while the gateway reads from the client.
 */
const EARLY_MAX_BYTES = HEADERS_MAX_BYTES;

/**
 * A client connection while it carries only what nearly every API client sends: small `GET` requests, one after
 * another, each in one packet. Node's HTTP server creates a dozen objects for each of these; here a packet is read with
 * two regular expressions and answered with one write. The first packet that is anything else hands the socket over to
 * Node permanently.
 */
export class PlainConnection implements ApiRequest, Reply {
  /** The number of ticks of the owner's timer since the last answer, or since the connection was opened. */
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

  /** True between an answer that has been sent and the next request. */
  get isIdle(): boolean {
    return !this.isAnswering && !this.socket.writableNeedDrain;
  }

  /** Like `ApiResponse.sendWhole`, for the current request. */
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

  /** Like `sendWhole`; the bytes are copied once and never converted to a string. */
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
   * Like `ApiResponse.sendLast`; it is separate from `sendWhole`, because it would add a check to each answer there.
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
   * Replaces the stream's own `push`, which Node calls with the data that it has read: a client that waits for each
   * answer needs neither the stream's queue nor its check for more data after each packet, which cost a twentieth of a
   * request's time. The first early packet, or the end, restores the stream's own method.
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
    // After the last answer, no request is accepted, because it could be charged without an answer being sent.
    if (!socket.writable) return;
    if (this.isAnswering || this.early !== undefined) return this.receiveLater(packet);
    // Node handles a client that does not accept its last answer at once.
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
   * A client that has sent its last byte counts as disconnected: a running request ends without a charge. An answer
   * that was charged is still sent.
   */
  private readonly leave = (): void => {
    if (this.isAnswering) this.socket.destroy();
    else this.socket.destroySoon();
  };

  private readonly closed = (): void => this.owner.closed(this);
}
