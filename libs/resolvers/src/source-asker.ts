import { parseDomainName } from '#libs/domain-names';
import type { ParserWorker } from './parser/parser-worker.js';
import type { LookupOutcome, RegistrationRecord, SourceAnswer } from './record.js';
import {
  type Asking,
  type Finding as ExchangeFinding,
  UpstreamExchange,
  type UpstreamExchangeOptions,
} from './upstream-exchange.js';
import type { Port43Answer, Port43Client } from './whois/port43.js';

export interface SourceAskerOptions extends UpstreamExchangeOptions {
  port43: Port43Client;
  /** Parses answers; never rejects. */
  parser: Pick<ParserWorker, 'parse' | 'parseRdap'>;
}

export interface Question extends Asking {
  /** The registrable name, in lower-case A-labels. */
  name: string;
  /** The suffix under which the name is registered, such as `com` or `co.uk`. */
  suffix: string;
}

export type Answer = Omit<SourceAnswer, 'id'>;
type Role = SourceAnswer['role'];
/** The result of one query, without the server or the time of the query. */
type Finding = ExchangeFinding & Pick<SourceAnswer, 'record' | 'truncated'>;

/** Queries servers about a name. Never rejects: a failure is also a result. */
export class SourceAsker {
  private readonly exchange: UpstreamExchange;

  constructor(private readonly options: SourceAskerOptions) {
    this.exchange = new UpstreamExchange(options);
  }

  /** Queries an RDAP service. @param url the URL of the object. */
  async askRdap(url: string, role: Role, question: Question): Promise<Answer> {
    const { movedTo = url, ...finding } = await this.exchange.fetch(
      url,
      question,
      async ({ kind, status, text: raw }) => {
        const about = { domain: question.name, role, isAbsent: kind === 'not_found' };
        const result: Finding = await this.options.parser.parseRdap(raw, about);
        const error = result.outcome === 'parse_failed' ? { error: 'unreadable' } : {};
        return { ...result, httpStatus: status, raw, ...error };
      },
    );
    const server = movedTo.replace(/domain\/[^/]*\/?$/i, '');
    return { protocol: 'rdap', role, server, ...finding };
  }

  async askPort43(server: string, role: Role, question: Question): Promise<Answer> {
    const { port43, parser } = this.options;
    const { name: domain, suffix: tld, signal } = question;
    const finding = await this.exchange.run<Finding>(server, question, async (permit) => {
      const { text, cut } = await port43.ask(server, domain, signal);
      // The last line of an interrupted answer may be half a name or half a date.
      const whole = cut === undefined ? text : text.slice(0, text.lastIndexOf('\n') + 1);
      const result = await parser.parse(whole, { domain, server, tld, role });
      if (result.outcome === 'throttled') permit.throttled(result.retryAfterSeconds);
      else permit.release();
      const { outcome, record, retryAfterSeconds } = result;
      const received = {
        raw: text,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      };
      if (record !== undefined && isOfAnother(record, domain)) {
        return { ...received, outcome: 'parse_failed', error: 'other_name' };
      }
      if (cut !== undefined) return { ...received, ...cutShort(cut, outcome, record), error: cut };
      return { ...received, outcome, ...(record === undefined ? {} : { record }) };
    });
    return { protocol: 'whois43', role, server, ...finding };
  }
}

/** Returns the finding for an incomplete answer. Missing data proves nothing, because it may follow in the rest. */
function cutShort(
  cut: NonNullable<Port43Answer['cut']>,
  outcome: LookupOutcome,
  record: RegistrationRecord | undefined,
): Finding {
  const truncated = true;
  if (outcome !== 'delivered') {
    const isSaid = outcome === 'throttled' || outcome === 'restricted';
    // If the time limit cut off an answer, the answer counts as a timeout, not as unreadable.
    const unsaid = cut === 'cancelled' ? 'timeout' : 'parse_failed';
    return { outcome: isSaid ? outcome : unsaid, truncated };
  }
  return { outcome: 'partial', truncated, ...(record === undefined ? {} : { record }) };
}

/** True if a server answered about a name other than the requested one, such as the suffix above it. */
function isOfAnother({ domain }: RegistrationRecord, name: string): boolean {
  if (domain === undefined) return false;
  if (name.endsWith(`.${domain}`)) return true;
  const parsed = parseDomainName(domain);
  return parsed.ok && parsed.domain.name !== name;
}
