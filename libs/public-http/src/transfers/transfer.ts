import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Operation } from '#libs/contracts';
import { type Problem, ServiceUnavailable, monotonicMs } from '#libs/platform';
import { CREDIT_AT_FIRST } from './reading-floor.js';

export interface TransferCall {
  operation: Operation;
  /** The requested path, without its query. */
  publicPath: string;
  request: IncomingMessage;
  response: ServerResponse;
  dispatcher: Dispatcher;
  /** The path at the owner, with the query. */
  path: string;
  /** The headers between our services: token, account, request. */
  headers: Readonly<Record<string, string>>;
  /** Headers that the listener adds to every answer, names and values alternating. */
  answerHeaders: readonly string[];
  /** Tells a client that waits before it sends its body (`Expect: 100-continue`) to continue. */
  invite: () => void;
  /**
   * Returns the page to which a browser is sent after a form, according to the owner's answer; without this, the answer
   * is passed on.
   */
  leadTo?: (answer: string) => string;
  /** The maximum wait for the first byte of the owner's answer in milliseconds, not counting the client's time. */
  answerTimeoutMs: number;
  /** The maximum silence of the client or the owner during the transfer, in milliseconds. */
  idleTimeoutMs: number;
}

export interface TransferEnd {
  status: number;
  /** Whether the last byte was sent; false if the owner disconnected, or the connection was cut, before that. */
  isWhole: boolean;
}

/** A refusal with its headers, names and values alternating. Nothing has been sent yet. */
export class TransferRefusal {
  constructor(
    readonly problem: Problem,
    readonly headers: readonly string[] = [],
  ) {}
}

const underWay = new WeakSet<Socket>();

/** Whether a transfer is running on this socket; the transfer then checks the time limits itself. */
export const hasTransfer = (socket: Socket): boolean => underWay.has(socket);

/** A running transfer, whose limits are checked from time to time. */
export abstract class Transfer {
  protected readonly startedMs = monotonicMs();
  private readonly abortion = new AbortController();
  private fault?: Problem;

  constructor(protected readonly call: TransferCall) {}

  /**
   * Calls the owner and answers the client; never throws. The caller can end the transfer with `stop`.
   * @returns how the answer ended, or the refusal that the caller must send.
   */
  async run(): Promise<TransferEnd | TransferRefusal> {
    const { request, operation } = this.call;
    // A transfer may be quiet for longer than the limit of Node's server.
    request.socket.setTimeout(0);
    underWay.add(request.socket);
    try {
      return await this.pass();
    } catch (error) {
      const { service } = operation.owner;
      return new TransferRefusal(this.fault ?? new ServiceUnavailable(service, error));
    } finally {
      underWay.delete(request.socket);
    }
  }

  /**
   * Cancels the call to the owner. @param fault the answer to the client, if one can still be sent; by default,
   * ServiceUnavailable.
   */
  stop(fault?: Problem): void {
    this.fault ??= fault;
    this.abortion.abort();
  }

  /** Returns the average rate so far, in bytes per millisecond; a transfer that has just begun counts as fast. */
  pace(nowMs: number): number {
    return (CREDIT_AT_FIRST + this.movedBytes) / Math.max(1, nowMs - this.startedMs);
  }

  /** Returns the number of bytes that the client has received or sent. */
  protected abstract get movedBytes(): number;

  /**
   * Stops the transfer if the client or the owner is silent for too long, or the client is slower than the minimum
   * rate. Called at least once a second.
   */
  abstract look(nowMs: number): void;

  protected abstract pass(): Promise<TransferEnd | TransferRefusal>;

  protected get signal(): AbortSignal {
    return this.abortion.signal;
  }

  protected async ask(
    headers: Readonly<Record<string, string>>,
    body: Readable | null,
  ): Promise<Dispatcher.ResponseData> {
    const { dispatcher, path, request } = this.call;
    return dispatcher.request({
      method: request.method as Dispatcher.HttpMethod,
      path,
      headers: { ...headers, ...this.call.headers },
      body,
      signal: this.signal,
      // Both sides are checked here, because undici cannot tell whether the client or the owner is slow.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  protected begin(status: number, headers: readonly string[]): void {
    this.call.response.writeHead(status, [...this.call.answerHeaders, ...headers]);
  }
}
