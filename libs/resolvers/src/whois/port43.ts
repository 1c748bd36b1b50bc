import type { Socket } from 'node:net';
import { monotonicMs } from '#libs/platform';
import { ConnectionError, type ConnectionFault } from '../safe-connect/connection-error.js';
import type { SafeConnector } from '../safe-connect/safe-connector.js';
import { decodeAnswer } from './decoding.js';
import { numberQueryLine, queryLine } from './query-forms.js';

export interface Port43Limits {
  /** The time limit for connecting; by default 5,000. */
  connectMs: number;
  /** The time limit from the connection to the first byte; by default 8,000. */
  firstByteMs: number;
  /** The time limit from the start to the end of the answer; by default 15,000. */
  wholeMs: number;
  /** The maximum size of an answer; by default 262,144. */
  sizeBytes: number;
}

export interface Port43Answer {
  text: string;
  /** Why the answer is incomplete: it was too long, too slow, interrupted, or no longer awaited. */
  cut?: 'size_cap' | 'answer_timeout' | 'reset' | 'cancelled';
}

const DEFAULTS: Port43Limits = {
  connectMs: 5_000,
  firstByteMs: 8_000,
  wholeMs: 15_000,
  sizeBytes: 256 * 1024,
};

/** Queries WHOIS servers on port 43 (RFC 3912). */
export class Port43Client {
  private readonly limits: Port43Limits;

  constructor(
    private readonly connector: SafeConnector,
    limits: Partial<Port43Limits> = {},
  ) {
    this.limits = { ...DEFAULTS, ...limits };
  }

  /**
   * Queries one server about one domain. An incomplete answer is returned with `cut`, so that the parser does not treat
   * missing data as absent.
   *
   * @throws ConnectionError if nothing was answered; RangeError if `domain` is not in lower-case A-labels.
   */
  async ask(server: string, domain: string, signal?: AbortSignal): Promise<Port43Answer> {
    return this.exchange(server, queryLine(server, domain), signal);
  }

  /**
   * Queries one server about an address, a block or an AS number.
   *
   * @param text as formatted by `parseAddressBlock`, or `AS` and a number.
   * @throws ConnectionError if nothing was answered; RangeError for any other text.
   */
  async askNumber(server: string, text: string, signal?: AbortSignal): Promise<Port43Answer> {
    return this.exchange(server, numberQueryLine(server, text), signal);
  }

  private async exchange(
    server: string,
    question: string,
    signal?: AbortSignal,
  ): Promise<Port43Answer> {
    const { connectMs, wholeMs } = this.limits;
    const startedAt = monotonicMs();
    const limits = { timeoutMs: connectMs, ...(signal === undefined ? {} : { signal }) };
    const socket = await this.connector.safeConnect(server, 43, 'whois', limits);
    socket.write(question, 'ascii');
    const leftMs = wholeMs - (monotonicMs() - startedAt);
    const { bytes, cut } = await this.read(socket, leftMs, signal);
    const text = decodeAnswer(bytes, server, cut !== undefined);
    return { text, ...(cut === undefined ? {} : { cut }) };
  }

  private read(
    socket: Socket,
    leftMs: number,
    signal: AbortSignal | undefined,
  ): Promise<{ bytes: Buffer; cut?: Port43Answer['cut'] }> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let isOver = false;
      const end = (fault?: ConnectionFault | 'size_cap') => {
        if (isOver) return;
        isOver = true;
        clearTimeout(firstByte);
        clearTimeout(whole);
        signal?.removeEventListener('abort', cancel);
        socket.destroy();
        const bytes = Buffer.concat(chunks).subarray(0, this.limits.sizeBytes);
        if (fault === undefined && size > 0) resolve({ bytes });
        else if (size > 0 && isCut(fault)) resolve({ bytes, cut: fault });
        else
          reject(
            new ConnectionError(fault === undefined || fault === 'size_cap' ? 'reset' : fault),
          );
      };
      const cancel = () => end('cancelled');
      const firstByte = setTimeout(end, this.limits.firstByteMs, 'first_byte_timeout');
      const whole = setTimeout(
        () => end(size > 0 ? 'answer_timeout' : 'first_byte_timeout'),
        leftMs,
      );
      socket.on('data', (chunk: Buffer) => {
        clearTimeout(firstByte);
        chunks.push(chunk);
        size += chunk.length;
        if (size > this.limits.sizeBytes) end('size_cap');
      });
      socket.on('error', (error) => end(ConnectionError.from(error).fault));
      socket.on('end', () => end());
      socket.on('close', () => end('reset'));
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted === true) cancel();
    });
  }
}

function isCut(fault: string | undefined): fault is NonNullable<Port43Answer['cut']> {
  return ['size_cap', 'answer_timeout', 'reset', 'cancelled'].includes(fault ?? '');
}
