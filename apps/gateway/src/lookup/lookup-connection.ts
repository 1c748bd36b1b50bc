import { type NetConnectOpts, type Socket, connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AddressLoad } from '#libs/contracts';
import type { InternalTls } from '#libs/platform';
import { type AnswerHeaders, readAnswerHeaders } from './answer-headers.js';
import type { OwnerAnswer } from '../context/owner-answer.js';
import type { LookupCall } from '../context/lookup-call.js';
import { BrokenAnswer, ConnectionEnded } from './lookup.errors.js';

export interface LookupAddress {
  /** The Unix socket; used instead of host and port. */
  socketPath?: string;
  host: string;
  port: number;
  isTls: boolean;
  tls?: InternalTls;
  load: AddressLoad;
}

const HEADERS_MAX_BYTES = 16 * 1024;
/**
 * Maximum length of headers that are parsed in place; longer headers are parsed like those that arrive in several
 * parts.
 */
const USUAL_HEADERS_BYTES = 768;
const BODY_MAX_BYTES = 4 * 1024 * 1024;
const BLANK_LINE = '\r\n\r\n';

/**
 * The buffer that all connections share for reading. Node calls back before it reads again, and data that is kept is
 * copied to a string at once. A new buffer for each read cost a tenth of the request path's time.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

export class LookupConnection {
  /** The ticks of the pool's timer since the connection was last used or became free. */
  quietTicks = 0;
  isConnected = false;
  /** The ticks of the pool's timer until the connection expires and is closed, after its running call. */
  ticksLeft: number;
  call?: LookupCall = undefined;
  private headers?: AnswerHeaders = undefined;
  /** What has arrived of the headers or, once they are parsed, of the body, with one character per byte. */
  private text = '';
  private fault?: Error = undefined;
  private readonly socket: Socket;

  /**
   * @param onFree called when the connection is free for another call. @param onClosed called once, when the connection
   * is no longer usable.
   */
  constructor(
    address: LookupAddress,
    ticksLeft: number,
    private onFree: (connection: LookupConnection) => void,
    onClosed: (connection: LookupConnection) => void,
  ) {
    this.ticksLeft = ticksLeft;
    this.socket = this.connect(address);
    this.socket.on('error', (error) => (this.fault ??= error));
    this.socket.on('close', () => {
      onClosed(this);
      this.take()?.onFault(this.fault ?? new ConnectionEnded());
    });
  }

  /** Whether the connection accepts no further call, because one side has ended it. */
  get isEnded(): boolean {
    return !this.socket.writable;
  }

  ask(call: LookupCall): void {
    this.call = call;
    call.connection = this;
    this.quietTicks = 0;
    this.socket.write(call.request, 'latin1');
  }

  /**
   * Closes the connection at once. The running call fails with the fault; if no fault is given, the call gets no
   * answer.
   */
  destroy(fault?: Error): void {
    if (fault) this.fault ??= fault;
    else this.take();
    this.socket.destroy();
  }

  /** Closes the connection now, or after the running call. */
  retire(): void {
    if (this.call === undefined) this.destroy();
    // Replacing the callback avoids a check after each answer.
    else this.onFree = () => this.destroy();
  }

  private connect({ socketPath, host, port, isTls, tls, load }: LookupAddress): Socket {
    const isReady = () => {
      this.isConnected = true;
      load.count(this.socket);
    };
    const target: NetConnectOpts = socketPath
      ? { path: socketPath }
      : { host, port, noDelay: true, keepAlive: true, lookup: load.lookup };
    const callback = (size: number, buffer: Uint8Array) => {
      this.read(buffer as Buffer, size);
      return true;
    };
    const options = { ...target, onread: { buffer: READ_BUFFER, callback } };
    if (!isTls) return connectPlain(options, isReady);
    // The certificate is issued for the service's name, not for its address.
    const proof = tls && { secureContext: tls.material.context, servername: 'lookup' };
    return connectTls({ servername: host, ...options, ...proof }, isReady);
  }

  private read(buffer: Buffer, size: number): void {
    if (this.call === undefined) return this.destroy();
    if (this.text === '' && this.headers === undefined && this.finishInPlace(buffer, size)) return;
    const chunk = buffer.toString('latin1', 0, size);
    this.text = this.text === '' ? chunk : this.text + chunk;
    if (this.headers === undefined && !this.readHeaders()) return;
    const missing = this.headers!.bodyBytes - this.text.length;
    if (missing === 0) this.finish();
    else if (missing < 0) this.destroy(new BrokenAnswer('more bytes than announced'));
  }

  /**
   * Delivers an answer that arrived in one read, as nearly all answers do, without creating a string of its body.
   * @returns false for any other answer.
   */
  private finishInPlace(bytes: Buffer, end: number): boolean {
    const text = bytes.toString('latin1', 0, Math.min(end, USUAL_HEADERS_BYTES));
    const headersEnd = text.indexOf(BLANK_LINE);
    if (headersEnd === -1) return false;
    const headers = readAnswerHeaders(text, headersEnd);
    const start = headersEnd + BLANK_LINE.length;
    if (headers === undefined || start + headers.bodyBytes !== end) return false;
    const answer: OwnerAnswer = { headers, body: '', inPlace: { bytes, start, end } };
    this.hand(answer, headers.isKept);
    // The next read overwrites the bytes, and no caller may get the answer to another call.
    answer.inPlace = undefined;
    return true;
  }

  /**
   * Parses the headers and removes them from `text`. @returns false while they are incomplete, or if they are invalid.
   */
  private readHeaders(): boolean {
    const end = this.text.indexOf(BLANK_LINE);
    if (end === -1) {
      if (this.text.length > HEADERS_MAX_BYTES)
        this.destroy(new BrokenAnswer('headers without end'));
      return false;
    }
    this.headers = readAnswerHeaders(this.text, end);
    if (this.headers === undefined || this.headers.bodyBytes > BODY_MAX_BYTES) {
      this.destroy(new BrokenAnswer('headers that lookup does not send'));
      return false;
    }
    this.text = this.text.slice(end + BLANK_LINE.length);
    return true;
  }

  private finish(): void {
    const headers = this.headers!;
    this.hand({ headers, body: this.text }, headers.isKept);
  }

  private hand(answer: OwnerAnswer, isKept: boolean): void {
    const call = this.take()!;
    if (isKept) this.onFree(this);
    else this.socket.destroy();
    call.onAnswer(answer);
  }

  /** Returns the running call, if any, and marks the connection as free of calls. */
  private take(): LookupCall | undefined {
    const { call } = this;
    this.quietTicks = 0;
    this.call = undefined;
    this.headers = undefined;
    this.text = '';
    if (call) call.connection = undefined;
    return call;
  }
}
