import { parseDomainName } from '#libs/domain-names';
import { monotonicMs } from '#libs/platform';
import type { ParserWorker } from './parser/parser-worker.js';
import type { Permit, UpstreamLimiter, Refused } from './limiter/upstream-limiter.js';
import type { Priority } from './limiter/upstream.js';
import type { RdapContext } from './rdap/rdap-answer.js';
import type { RdapAnswer, RdapClient } from './rdap/rdap-client.js';
import type { Outcome, RegistrationRecord, SourceAnswer } from './record.js';
import { ConnectionError, type ConnectionFault } from './safe-connect/connection-error.js';
import type { Port43Answer, Port43Client } from './whois/port43.js';

/** What it takes to ask one server. */
export interface SourceAskerOptions {
  rdap: RdapClient;
  port43: Port43Client;
  limiter: UpstreamLimiter;
  /** Reads what was answered; never rejects. */
  parser: Pick<ParserWorker, 'parse' | 'parseRdap'>;
  /** Business time, for `fetchedAt`. */
  clock: { now(): Date };
}

export interface Question {
  /** Registrable name in lower case A-labels. */
  name: string;
  tld: string;
  priority: Priority;
  /** Whoever the question is for. */
  asker?: string;
  signal: AbortSignal;
}

/** An answer without its number. */
export type Answer = Omit<SourceAnswer, 'id'>;
type Role = SourceAnswer['role'];
/** What is found out by asking; the rest of an answer says who was asked when. */
type Finding = Omit<Answer, 'protocol' | 'role' | 'server' | 'fetchedAt' | 'latencyMs'>;

const TIMEOUTS: ReadonlySet<ConnectionFault> = new Set([
  'connect_timeout',
  'first_byte_timeout',
  'answer_timeout',
  'cancelled',
]);

/** Asks one server one question, politely, and says how it went. Never rejects. */
export class SourceAsker {
  constructor(private readonly options: SourceAskerOptions) {}

  /** @param url the object's own URL. */
  async askRdap(url: string, role: Role, question: Question): Promise<Answer> {
    const { rdap, limiter, parser } = this.options;
    const server = url.replace(/domain\/[^/]*$/i, '');
    const about = { protocol: 'rdap', role, server } as const;
    return this.ask(new URL(url).hostname, about, question, async (first) => {
      let turn: Permit | Refused = first;
      const redirected = async (host: string, signal: AbortSignal) => {
        if (turn.granted) turn.release();
        turn = await limiter.acquire(host, {
          priority: question.priority,
          asker: question.asker,
          signal,
        });
        return turn.granted;
      };
      try {
        const answer = await rdap.fetch(url, { signal: question.signal, redirected });
        if (!turn.granted) return notAsked(turn);
        if (answer.kind === 'throttled') turn.throttled(answer.retryAfterSeconds);
        else if (answer.kind !== 'failed') turn.release();
        return await rdapFinding(answer, { domain: question.name, role }, parser);
      } finally {
        // Without effect when it has been said how it went.
        if (turn.granted) turn.failed();
      }
    });
  }

  async askPort43(server: string, role: Role, question: Question): Promise<Answer> {
    const { port43, parser } = this.options;
    const { name: domain, tld, signal } = question;
    const about = { protocol: 'whois43', role, server } as const;
    return this.ask(server, about, question, async (permit) => {
      const { text, cut } = await port43.ask(server, domain, signal);
      // The last line of an answer that broke off may be half a name or half a date.
      const whole = cut === undefined ? text : text.slice(0, text.lastIndexOf('\n') + 1);
      const result = await parser.parse(whole, { domain, server, tld, role });
      if (result.outcome === 'throttled') permit.throttled(result.retryAfterSeconds);
      else permit.release();
      const { outcome, record, retryAfterSeconds } = result;
      const finding = {
        raw: text,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      };
      if (record !== undefined && isOfAnother(record, domain)) {
        return { ...finding, outcome: 'parse_failed', error: 'other_name' };
      }
      if (cut !== undefined) return { ...finding, ...cutShort(cut, outcome, record), error: cut };
      return { ...finding, outcome, ...(record === undefined ? {} : { record }) };
    });
  }

  private async ask(
    host: string,
    about: Pick<Answer, 'protocol' | 'role' | 'server'>,
    { priority, asker, signal }: Question,
    exchange: (permit: Permit) => Promise<Finding>,
  ): Promise<Answer> {
    const { limiter, clock } = this.options;
    const permit = await limiter.acquire(host, { priority, asker, signal });
    const startedAt = monotonicMs();
    const finding = permit.granted ? await attempt(permit, exchange) : notAsked(permit);
    const latencyMs = Math.round(monotonicMs() - startedAt);
    return { ...about, ...finding, fetchedAt: clock.now(), latencyMs };
  }
}

async function attempt(
  permit: Permit,
  exchange: (permit: Permit) => Promise<Finding>,
): Promise<Finding> {
  try {
    return await exchange(permit);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return { outcome: outcomeOf(error.fault), error: error.fault };
  } finally {
    // Without effect when the exchange has said how it went.
    permit.failed();
  }
}

/** Nothing is known of the name either way. A closed door is no throttle: nobody said "too much". */
function outcomeOf(fault: ConnectionFault): Outcome {
  return TIMEOUTS.has(fault) ? 'timeout' : 'unreachable';
}

function notAsked({ reason, retryAfterMs }: Refused): Finding {
  if (reason === 'cancelled') return { outcome: 'timeout', error: 'cancelled' };
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1000);
  return { outcome: 'throttled', retryAfterSeconds, error: reason };
}

async function rdapFinding(
  answer: RdapAnswer,
  about: Pick<RdapContext, 'domain' | 'role'>,
  parser: SourceAskerOptions['parser'],
): Promise<Finding> {
  const { status: httpStatus } = answer;
  if (answer.kind === 'throttled') {
    const { retryAfterSeconds: seconds } = answer;
    const retry = seconds === undefined ? {} : { retryAfterSeconds: seconds };
    return { outcome: 'throttled', httpStatus, ...retry, error: `http_${httpStatus}` };
  }
  if (answer.kind === 'failed') {
    const outcome = httpStatus >= 500 ? 'unreachable' : 'parse_failed';
    return { outcome, ...(httpStatus === 0 ? {} : { httpStatus }), error: answer.fault };
  }
  const { text: raw } = answer;
  const result = await parser.parseRdap(raw, { ...about, isAbsent: answer.kind === 'not_found' });
  if (result.outcome === 'parse_failed') return { ...result, httpStatus, raw, error: 'unreadable' };
  return { ...result, httpStatus, raw };
}

/** Of half an answer nothing may be concluded from what is not in it. */
function cutShort(
  cut: NonNullable<Port43Answer['cut']>,
  outcome: Outcome,
  record: RegistrationRecord | undefined,
): Finding {
  const truncated = true;
  if (outcome !== 'delivered') {
    const isSaid = outcome === 'throttled' || outcome === 'restricted';
    // Nobody would call an answer unreadable for whose end there was no time.
    const unsaid = cut === 'cancelled' ? 'timeout' : 'parse_failed';
    return { outcome: isSaid ? outcome : unsaid, truncated };
  }
  return { outcome: 'partial', truncated, ...(record === undefined ? {} : { record }) };
}

/** True when a server answered about another name than it was asked about. */
function isOfAnother({ domain }: RegistrationRecord, name: string): boolean {
  if (domain === undefined) return false;
  const parsed = parseDomainName(domain);
  return parsed.ok && parsed.domain.name !== name;
}
