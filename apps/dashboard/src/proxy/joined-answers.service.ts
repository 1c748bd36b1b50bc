import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { MINUTE_MS, NotLoggedIn, SECOND_MS, monotonicMs } from '#libs/platform';
import { TooManyExports } from './proxy.errors.js';
import { ServiceProxies } from '../service-calls/service-proxies.js';
import type { ProxiedCall } from '../service-calls/service-proxy.js';

export interface PartOwner {
  service: Parameters<ServiceProxies['of']>[0];
  path: string;
}

/** The time limit for reading: a fixed time, plus the time that the bytes take at a minimum speed. */
export interface Pace {
  graceMs: number;
  bytesASecond: number;
  /** After this time, a reader may lose its slot to another account. */
  undisturbedMs: number;
}

/**
 * Maximum number of concurrent joined answers (at most one per account), so that slow readers leave connections for
 * other pages.
 */
const JOINED_MAX = 16;
const TIMEOUT_MS = 10 * MINUTE_MS;
/**
 * The minimum speed of a reader. A slower reader is disconnected, because other accounts need the slot (S102). Even
 * slow connections are faster than this.
 */
const SLOWEST: Pace = {
  graceMs: 30 * SECOND_MS,
  bytesASecond: 16 * 1024,
  undisturbedMs: 3 * SECOND_MS,
};

/**
 * Joins the answers of several services into one JSON object with a member for each. Everything is streamed as it
 * arrives.
 */
@Injectable()
export class JoinedAnswersService {
  private readonly running = new Map<string, ReadingDeadline>();

  constructor(private readonly proxies: ServiceProxies) {}

  /**
   * Starts a joined answer. Every service must have begun to answer before the first byte is sent. If one of them fails
   * later, the text ends early. If all slots are taken, the slowest of the readers that have had their undisturbed time
   * loses its slot.
   * @throws NotLoggedIn; TooManyExports; a service's rejection; TooManyCalls, ServiceUnavailable.
   */
  async join(
    owners: readonly PartOwner[],
    call: ProxiedCall,
    slowest: Pace = SLOWEST,
  ): Promise<Readable> {
    const { accountId } = call;
    if (accountId === undefined) throw new NotLoggedIn();
    if (this.running.has(accountId)) throw new TooManyExports();
    if (this.running.size >= JOINED_MAX && !this.makeRoom()) throw new TooManyExports();
    const deadline = new ReadingDeadline(slowest);
    this.running.set(accountId, deadline);
    const parts: [string, Readable][] = [];
    try {
      for (const { service, path } of owners) {
        const asked = { ...call, path, timeoutMs: TIMEOUT_MS };
        const body = await this.proxies.of(service).stream(asked);
        parts.push([service, body]);
      }
    } catch (error) {
      this.running.delete(accountId);
      for (const [, part] of parts) part.destroy();
      throw error;
    }
    const text = deadline.watch(joinedText(accountId, parts));
    const joined = Readable.from(text, { objectMode: false });
    deadline.begin(() => joined.destroy(new Error('an export was read too slowly')));
    return joined.once('close', () => {
      deadline.end();
      if (this.running.get(accountId) === deadline) this.running.delete(accountId);
      for (const [, part] of parts) part.destroy();
    });
  }

  /** Ends the slowest of the answers whose undisturbed time is over. @returns false if there is none. */
  private makeRoom(): boolean {
    const read = [...this.running].filter(([, deadline]) => deadline.hasHadTime);
    const [slowest] = read.toSorted(([, one], [, other]) => one.pace - other.pace);
    if (!slowest) return false;
    const [accountId, deadline] = slowest;
    this.running.delete(accountId);
    deadline.miss();
    return true;
  }
}

/** Disconnects a reader that falls behind the time limit for the bytes sent so far. */
class ReadingDeadline {
  private timer: NodeJS.Timeout | undefined;
  private startedMs = Infinity;
  private bytes = 0;
  private onMissed: () => void = () => {};

  constructor(private readonly slowest: Pace) {}

  begin(onMissed: () => void): void {
    this.startedMs = monotonicMs();
    this.onMissed = onMissed;
    this.setTimer();
  }

  get hasHadTime(): boolean {
    return monotonicMs() - this.startedMs >= this.slowest.undisturbedMs;
  }

  /** The bytes read per millisecond. */
  get pace(): number {
    return this.bytes / (monotonicMs() - this.startedMs);
  }

  miss(): void {
    this.onMissed();
  }

  end(): void {
    clearTimeout(this.timer);
  }

  /**
   * Yields the text unchanged, and counts a piece as read once the reader asks for the next one.
   */
  async *watch(text: AsyncIterable<string | Buffer>): AsyncGenerator<string | Buffer> {
    for await (const piece of text) {
      yield piece;
      this.bytes += Buffer.byteLength(piece);
      this.setTimer();
    }
  }

  private setTimer(): void {
    clearTimeout(this.timer);
    const { graceMs, bytesASecond } = this.slowest;
    const allowedMs = graceMs + (this.bytes / bytesASecond) * SECOND_MS;
    const leftMs = this.startedMs + allowedMs - monotonicMs();
    this.timer = setTimeout(() => this.miss(), Math.max(0, leftMs)).unref();
  }
}

async function* joinedText(
  accountId: string,
  parts: readonly [string, Readable][],
): AsyncGenerator<string | Buffer> {
  yield `{"account_id":${JSON.stringify(accountId)}`;
  for (const [name, text] of parts) {
    yield `,${JSON.stringify(name)}:`;
    yield* text;
  }
  yield '}\n';
}
