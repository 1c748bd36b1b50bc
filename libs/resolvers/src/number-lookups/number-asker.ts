import type { ParserWorker } from '../parser/parser-worker.js';
import {
  type Asking,
  type Finding as ExchangeFinding,
  UpstreamExchange,
  type UpstreamExchangeOptions,
} from '../upstream-exchange.js';
import { announcements } from '../whois/parse/outcome/announcements.js';
import { saysThrottled } from '../whois/parse/outcome/classifier.js';
import { isLimitNotice } from '../whois/parse/outcome/limit-notices.js';
import { cleanText } from '../whois/parse/reading/clean-text.js';
import { splitLines } from '../whois/parse/reading/lines.js';
import { WorkMeter } from '../whois/parse/reading/work-meter.js';
import type { Port43Client } from '../whois/port43.js';
import type { NetworkSource, NumberBlock } from '../networks/network-record.js';
import type { NumberContext } from '../networks/number-reading.js';

export interface NumberAskerOptions extends UpstreamExchangeOptions {
  port43: Port43Client;
  /** Parses answers; never rejects. */
  parser: Pick<ParserWorker, 'parseNumber'>;
}

export interface NumberAnswer {
  source: Omit<NetworkSource, 'id'>;
  block?: NumberBlock;
}

type Finding = ExchangeFinding & { block?: NumberBlock; truncated?: boolean };

/**
 * The lines that mean "no entry" on port 43. The marks before the words cannot include line ends: otherwise, a long run
 * of line ends would be read again from each of them.
 */
const NOTHING =
  /^%ERROR:101:|^[%#\t ]*(?:no (?:entries|match|data) found|no match for|unallocated)\b/im;
/** The texts that mean "too many queries" on port 43. */
const THROTTLED = /rate limit|quota|too many|access denied|query.{0,20}exceeded|%ERROR:201|denied/i;

/** Sends queries to number registries. Never rejects: a failure is also a result. */
export class NumberAsker {
  private readonly exchange: UpstreamExchange;

  constructor(private readonly options: NumberAskerOptions) {
    this.exchange = new UpstreamExchange(options);
  }

  async askRdap(
    server: string,
    path: string,
    about: NumberContext,
    asking: Asking,
  ): Promise<NumberAnswer> {
    const { parser } = this.options;
    const { movedTo, ...finding } = await this.exchange.fetch<Finding>(
      `${server}${path}`,
      asking,
      async ({ kind, status: httpStatus, text: raw }) => {
        if (kind === 'not_found') return { outcome: 'not_registered', httpStatus, raw };
        const { outcome, block } = await parser.parseNumber(raw, about);
        if (block !== undefined) return { outcome, httpStatus, raw, block };
        if (outcome === 'not_registered') return { outcome, httpStatus, raw };
        return { outcome: 'parse_failed', httpStatus, raw, error: 'unreadable' };
      },
    );
    const base = movedTo?.replace(/(?:ip|autnum)\/.*$/i, '') ?? server;
    return answerOf({ protocol: 'rdap', server: base, ...finding });
  }

  async askPort43(
    server: string,
    question: string,
    asked: NumberContext['asked'],
    asking: Asking,
  ): Promise<NumberAnswer> {
    const { port43, parser } = this.options;
    const finding = await this.exchange.run<Finding>(server, asking, async (permit) => {
      const { text: raw, cut } = await port43.askNumber(server, question, asking.signal);
      // The last line of an interrupted answer may be half a name or half an address.
      const whole = cut === undefined ? raw : raw.slice(0, raw.lastIndexOf('\n') + 1);
      const { outcome, block } = await parser.parseNumber(whole, { form: 'rpsl', asked });
      if (block !== undefined) {
        permit.release();
        if (cut !== undefined) return { outcome: 'partial', raw, block, truncated: true };
        return { outcome: 'delivered', raw, block };
      }
      if (isThrottle(raw)) {
        permit.throttled();
        return { outcome: 'throttled', raw };
      }
      permit.release();
      const isNothing = cut === undefined && (outcome === 'not_registered' || NOTHING.test(raw));
      return { outcome: isNothing ? 'not_registered' : 'parse_failed', raw };
    });
    return answerOf({ protocol: 'whois43', server, ...finding });
  }
}

/** True if a text without a block says that there were too many queries, in any language. */
function isThrottle(text: string): boolean {
  const meter = new WorkMeter();
  const said = announcements(splitLines(cleanText(text, meter), meter), meter);
  return THROTTLED.test(text) || said.some((it) => saysThrottled(it.text) || isLimitNotice(it));
}

function answerOf({
  block,
  ...source
}: NumberAnswer['source'] & { block?: NumberBlock }): NumberAnswer {
  return block === undefined ? { source } : { source, block };
}
