import { monotonicMs } from '#libs/platform';
import type { UpstreamLimiter, Refused } from '../limiter/upstream-limiter.js';
import type { Priority } from '../limiter/upstream.js';
import type { ParserWorker } from '../parser/parser-worker.js';
import type { RdapAnswer, RdapClient } from '../rdap/rdap-client.js';
import { ConnectionError } from '../safe-connect/connection-error.js';
import type { Port43Client } from '../whois/port43.js';
import type { NetworkSource, NumberBlock } from './network-record.js';
import type { NumberForm } from './number-reading.js';

export interface NumberAskerOptions {
  rdap: RdapClient;
  port43: Port43Client;
  limiter: UpstreamLimiter;
  /** Reads what was answered; never rejects. */
  parser: Pick<ParserWorker, 'parseNumber'>;
  /** Business time, for `fetchedAt`. */
  clock: { now(): Date };
}

export interface Asking {
  priority: Priority;
  /** Whoever the question is for. */
  asker?: string;
  signal: AbortSignal;
}

/** What one server said. */
export interface NumberAnswer {
  source: Omit<NetworkSource, 'id'>;
  block?: NumberBlock;
}

type Finding = Pick<NetworkSource, 'outcome'> &
  Partial<Pick<NetworkSource, 'httpStatus' | 'retryAfterSeconds' | 'raw' | 'error'>> & {
    block?: NumberBlock;
  };

const TIMEOUTS: ReadonlySet<string> = new Set([
  'connect_timeout',
  'first_byte_timeout',
  'answer_timeout',
  'cancelled',
]);
/** What registries print on port 43 where they have nothing, and where they have had enough. */
const NOTHING = /no entries found|no match found|no data found|not found|unallocated|no match for/i;
const THROTTLED = /rate limit|quota|too many|access denied|query.{0,20}exceeded|%ERROR:201|denied/i;

/** Asks one number registry one question, politely, and says how it went. Never rejects. */
export class NumberAsker {
  constructor(private readonly options: NumberAskerOptions) {}

  askRdap(baseUrl: string, path: string, form: NumberForm, asking: Asking): Promise<NumberAnswer> {
    const { rdap, limiter, parser } = this.options;
    const { priority, asker, signal } = asking;
    const about = { protocol: 'rdap' as const, server: baseUrl };
    return this.ask(new URL(baseUrl).hostname, about, asking, async (first) => {
      let permit = first;
      const redirected = async (host: string, ended: AbortSignal) => {
        permit.release();
        const next = await limiter.acquire(host, { priority, asker, signal: ended });
        if (!next.granted) return false;
        permit = next;
        return true;
      };
      try {
        const answer = await rdap.fetch(`${baseUrl}${path}`, { signal, redirected });
        if (answer.kind === 'throttled') permit.throttled(answer.retryAfterSeconds);
        else if (answer.kind !== 'failed') permit.release();
        return await rdapFinding(answer, form, parser);
      } finally {
        // Without effect when it has been said how it went.
        permit.failed();
      }
    });
  }

  askPort43(server: string, question: string, asking: Asking): Promise<NumberAnswer> {
    const { port43, parser } = this.options;
    const about = { protocol: 'whois43' as const, server };
    return this.ask(server, about, asking, async (permit) => {
      const { text: raw, cut } = await port43.askNumber(server, question, asking.signal);
      const { block } = await parser.parseNumber(raw, 'rpsl');
      if (block !== undefined) {
        permit.release();
        return { outcome: cut === undefined ? 'delivered' : 'partial', raw, block };
      }
      if (THROTTLED.test(raw)) {
        permit.throttled();
        return { outcome: 'throttled', raw };
      }
      permit.release();
      const isNothing = cut === undefined && NOTHING.test(raw);
      return { outcome: isNothing ? 'not_registered' : 'parse_failed', raw };
    });
  }

  private async ask(
    host: string,
    about: Pick<NetworkSource, 'protocol' | 'server'>,
    { priority, asker, signal }: Asking,
    exchange: (permit: Granted) => Promise<Finding>,
  ): Promise<NumberAnswer> {
    const { limiter, clock } = this.options;
    const permit = await limiter.acquire(host, { priority, asker, signal });
    const startedAt = monotonicMs();
    const finding = permit.granted ? await attempt(permit, exchange) : notAsked(permit);
    const { block, ...rest } = finding;
    const latencyMs = Math.round(monotonicMs() - startedAt);
    const source = { ...about, ...rest, fetchedAt: clock.now(), latencyMs };
    return block === undefined ? { source } : { source, block };
  }
}

type Granted = Exclude<Awaited<ReturnType<UpstreamLimiter['acquire']>>, Refused>;

async function attempt(
  permit: Granted,
  exchange: (permit: Granted) => Promise<Finding>,
): Promise<Finding> {
  try {
    return await exchange(permit);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    const outcome = TIMEOUTS.has(error.fault) ? 'timeout' : 'unreachable';
    return { outcome, error: error.fault };
  } finally {
    // Without effect when the exchange has said how it went.
    permit.failed();
  }
}

function notAsked({ reason, retryAfterMs }: Refused): Finding {
  if (reason === 'cancelled') return { outcome: 'timeout', error: 'cancelled' };
  return {
    outcome: 'throttled',
    retryAfterSeconds: Math.ceil(retryAfterMs / 1_000),
    error: reason,
  };
}

async function rdapFinding(
  answer: RdapAnswer,
  form: NumberForm,
  parser: NumberAskerOptions['parser'],
): Promise<Finding> {
  const { status: httpStatus } = answer;
  switch (answer.kind) {
    case 'throttled': {
      const { retryAfterSeconds } = answer;
      const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      return { outcome: 'throttled', httpStatus, ...retry, error: `http_${httpStatus}` };
    }
    case 'failed':
      return {
        outcome: httpStatus >= 500 ? 'unreachable' : 'parse_failed',
        ...(httpStatus === 0 ? {} : { httpStatus }),
        error: answer.fault,
      };
    case 'not_found':
      return { outcome: 'not_registered', httpStatus, raw: answer.text };
    case 'object': {
      const { block } = await parser.parseNumber(answer.text, form);
      if (block !== undefined) return { outcome: 'delivered', httpStatus, raw: answer.text, block };
      return { outcome: 'parse_failed', httpStatus, raw: answer.text, error: 'unreadable' };
    }
  }
}
