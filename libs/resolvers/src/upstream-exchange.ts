import { monotonicMs } from '#libs/platform';
import type { Permit, Refused, UpstreamLimiter } from './limiter/upstream-limiter.js';
import type { Priority } from './limiter/upstream.js';
import type { RdapAnswer, RdapClient } from './rdap/rdap-client.js';
import type { LookupOutcome } from './record.js';
import { ConnectionError, type ConnectionFault } from './safe-connect/connection-error.js';

export interface UpstreamExchangeOptions {
  rdap: RdapClient;
  limiter: UpstreamLimiter;
  /** The wall clock, for `fetchedAt`. */
  clock: { now(): Date };
}

export interface Asking {
  priority: Priority;
  asker?: string;
  signal: AbortSignal;
  /** The longest wait for a turn in milliseconds; a server whose turn would come later is not queried (`not_ready`). */
  waitMaxMs?: number;
}

/**
 * The reasons why a server was not queried, except `cancelled`, which may also end a query. They say nothing about the
 * name.
 */
export const NOT_ASKED: ReadonlySet<string> = new Set<Refused['reason']>([
  'paused',
  'queue_full',
  'share_used',
  'not_ready',
]);

export interface Finding {
  outcome: LookupOutcome;
  httpStatus?: number;
  retryAfterSeconds?: number;
  raw?: string;
  error?: string;
  /** The URL that answered, if redirects led to it. */
  movedTo?: string;
}

interface Timing {
  fetchedAt: Date;
  latencyMs: number;
}

type FetchedObject = Extract<RdapAnswer, { text: string }>;

const TIMEOUTS: ReadonlySet<ConnectionFault> = new Set([
  'connect_timeout',
  'first_byte_timeout',
  'answer_timeout',
  'cancelled',
]);

export class UpstreamExchange {
  constructor(private readonly options: UpstreamExchangeOptions) {}

  /**
   * Waits for a turn at `host` and runs the exchange, which reports its result to the limiter. Never rejects because of
   * the server or the network. If the server throttled without naming a time, the limiter's pause counts as that time.
   */
  async run<Found extends Finding>(
    host: string,
    { priority, asker, signal, waitMaxMs }: Asking,
    exchange: (permit: Permit) => Promise<Found>,
  ): Promise<(Found | Finding) & Timing> {
    const { limiter, clock } = this.options;
    const permit = await limiter.acquire(host, { priority, asker, signal, waitMaxMs });
    const startedAt = monotonicMs();
    const finding = permit.granted ? await attempt(permit, exchange) : notAsked(permit);
    const latencyMs = Math.round(monotonicMs() - startedAt);
    const pausedMs = finding.outcome === 'throttled' ? limiter.pausedForMs(host) : 0;
    const pause = pausedMs > 0 ? { retryAfterSeconds: Math.ceil(pausedMs / 1_000) } : {};
    return { ...pause, ...finding, fetchedAt: clock.now(), latencyMs };
  }

  /**
   * Fetches an RDAP object. A redirect waits for a turn at the new host.
   *
   * @param read parses an object, or the body of a 404.
   */
  fetch<Found extends Finding>(
    url: string,
    asking: Asking,
    read: (answer: FetchedObject) => Promise<Found>,
  ): Promise<(Found | Finding) & Timing> {
    const { rdap, limiter } = this.options;
    return this.run<Found | Finding>(new URL(url).hostname, asking, async (first) => {
      let turn: Permit | Refused = first;
      const redirected = async (host: string, ended: AbortSignal) => {
        if (turn.granted) turn.release();
        turn = await limiter.acquire(host, { ...asking, signal: ended });
        return turn.granted;
      };
      try {
        const answer = await rdap.fetch(url, { signal: asking.signal, redirected });
        if (!turn.granted) return notAsked(turn);
        if (answer.kind === 'throttled') turn.throttled(answer.retryAfterSeconds);
        else if (answer.kind !== 'failed') turn.release();
        if (!('text' in answer)) return withoutObject(answer);
        const { movedTo } = answer;
        return { ...(await read(answer)), ...(movedTo === undefined ? {} : { movedTo }) };
      } finally {
        // This has no effect if the exchange has already reported its result.
        if (turn.granted) turn.failed();
      }
    });
  }
}

async function attempt<Found extends Finding>(
  permit: Permit,
  exchange: (permit: Permit) => Promise<Found>,
): Promise<Found | Finding> {
  try {
    return await exchange(permit);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    // A failed connection never counts as throttling, not even a closed port: only an answer can say that there were
    // too many queries.
    const outcome = TIMEOUTS.has(error.fault) ? 'timeout' : 'unreachable';
    return { outcome, error: error.fault };
  } finally {
    // This has no effect if the exchange has already reported its result.
    permit.failed();
  }
}

function notAsked({ reason, retryAfterMs }: Refused): Finding {
  if (reason === 'cancelled') return { outcome: 'timeout', error: 'cancelled' };
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1_000);
  return { outcome: 'throttled', retryAfterSeconds, error: reason };
}

function withoutObject(answer: Exclude<RdapAnswer, FetchedObject>): Finding {
  const { status: httpStatus } = answer;
  if (answer.kind === 'throttled') {
    const { retryAfterSeconds } = answer;
    const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return { outcome: 'throttled', httpStatus, ...retry, error: `http_${httpStatus}` };
  }
  const isOut = httpStatus >= 500 || /^(outage|http_5\d\d)$/.test(answer.fault);
  const outcome = isOut ? 'unreachable' : 'parse_failed';
  return { outcome, ...(httpStatus === 0 ? {} : { httpStatus }), error: answer.fault };
}
