import { type Cidr, lastAddress } from '#libs/domain-names';
import type { Priority } from '../limiter/upstream.js';
import type { LookupOutcome } from '../record.js';
import type { NumberBlock, NumberLookup as Found } from '../networks/network-record.js';
import { JoinedRuns } from '../joined-runs.js';
import type { Asking } from '../upstream-exchange.js';
import { NumberAsker, type NumberAnswer, type NumberAskerOptions } from './number-asker.js';
import type { NumberContext, NumberForm } from '../networks/number-reading.js';
import type { NumberRegistries, NumberRoute } from '../networks/number-registries.js';
import { type SpecialRange, specialAsnOf, specialRangeOf } from '../networks/special-ranges.js';

export interface NumberLookupOptions extends NumberAskerOptions {
  registries: NumberRegistries;
}

export interface NumberRequest {
  /** The time limit for the whole lookup, by default 20,000. */
  budgetMs?: number;
  /** `live` by default. */
  priority?: Priority;
  /** The customer of this lookup; the limits of upstreams are shared among customers. */
  asker?: string;
  signal?: AbortSignal;
}

interface Question extends NumberContext {
  /** The path below the base URL of an RDAP service (RFC 9082 §3.1.1, §3.1.2). */
  rdapPath: string;
  /** The query on port 43: an address, a block, or `AS` and its number. */
  text: string;
  route: NumberRoute | undefined;
  special: SpecialRange | undefined;
  notAllocated: string;
}

const BUDGET_MS = 20_000;
/** Outcomes after which port 43 of the same registry may still answer. */
const FALL_BACK: ReadonlySet<LookupOutcome> = new Set(['unreachable', 'timeout', 'parse_failed']);

export class NumberLookups {
  private readonly asker: NumberAsker;
  private readonly runs = new JoinedRuns<Found>();

  constructor(private readonly options: NumberLookupOptions) {
    this.asker = new NumberAsker(options);
  }

  /**
   * Looks up a block. Never rejects because of an upstream: `outcome` says how the lookup ended. Equal simultaneous
   * lookups of one priority and time limit share a query.
   */
  lookUpBlock(cidr: Cidr, request: NumberRequest = {}): Promise<Found> {
    const isOne = cidr.prefixLength === (cidr.version === 4 ? 32 : 128);
    const text = isOne ? cidr.address : `${cidr.address}/${cidr.prefixLength}`;
    return this.run(request, {
      rdapPath: `ip/${text}`,
      text,
      form: 'ip network',
      asked: [cidr.address, lastAddress(cidr)],
      route: this.options.registries.routeOfBlock(cidr),
      special: specialRangeOf(cidr),
      notAllocated: isOne
        ? `IANA has not assigned ${text} to a registry.`
        : `No registry answers for the whole of ${text}: it is not allocated, or larger than the block of any one registry. Request a smaller block.`,
    });
  }

  /** Looks up an AS number. Never rejects because of an upstream. @param asn 0 to 4,294,967,295. */
  lookUpAsn(asn: number, request: NumberRequest = {}): Promise<Found> {
    return this.run(request, {
      rdapPath: `autnum/${asn}`,
      text: `AS${asn}`,
      form: 'autnum',
      asked: [String(asn), String(asn)],
      route: this.options.registries.routeOfAsn(asn),
      special: specialAsnOf(asn),
      notAllocated: `IANA has not assigned AS${asn} to a registry.`,
    });
  }

  private async run(request: NumberRequest, question: Question): Promise<Found> {
    const { special, route } = question;
    if (special !== undefined) return this.answerLocally(special, question.form);
    if (route === undefined) {
      return {
        outcome: 'unsupported',
        sources: [],
        fetchedAt: this.options.clock.now(),
        reason: question.notAllocated,
      };
    }
    const { budgetMs = BUDGET_MS, priority = 'live', asker, signal } = request;
    return this.runs.join(`${priority} ${budgetMs} ${question.text}`, signal, async (abandon) => {
      const ended = AbortSignal.any([abandon.signal, AbortSignal.timeout(budgetMs)]);
      return this.ask(route, question, { priority, asker, signal: ended });
    });
  }

  private async ask(route: NumberRoute, question: Question, asking: Asking): Promise<Found> {
    const { rdapBaseUrl, whoisServer, registry } = route;
    const { rdapPath, form, asked, text } = question;
    const answers = [await this.asker.askRdap(rdapBaseUrl, rdapPath, { form, asked }, asking)];
    if (FALL_BACK.has(answers[0].source.outcome) && !asking.signal.aborted) {
      answers.push(await this.asker.askPort43(whoisServer, text, asked, asking));
    }
    const answered = answers.find(({ block }) => block !== undefined) ?? chosenOf(answers);
    const { outcome, retryAfterSeconds, server } = answered.source;
    return {
      outcome,
      // A registry redirects to another one to which the numbers were transferred.
      registry: this.options.registries.registryAt(server) ?? registry,
      ...(answered.block && { block: answered.block }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      sources: answers.map(({ source }, i) => ({ id: `s${i + 1}`, ...source })),
      fetchedAt: this.options.clock.now(),
    };
  }

  /** Answers about a range that a standard defines, without a query. */
  private answerLocally({ start, end, purpose, document }: SpecialRange, form: NumberForm): Found {
    const fetchedAt = this.options.clock.now();
    const outcome = 'unsupported';
    const source = {
      protocol: 'local',
      server: document,
      fetchedAt,
      latencyMs: 0,
      outcome,
    } as const;
    const block: NumberBlock = {
      start,
      end,
      name: purpose,
      descriptions: [`${purpose} (${document})`],
      statuses: ['reserved'],
      originAsns: [],
      contacts: [],
      abuseContacts: [],
    };
    const [first, last] = [start, end].map((one) => (form === 'autnum' ? `AS${one}` : one));
    const reason =
      first === last
        ? `${first}: ${purpose} (${document}). No registry assigns it.`
        : `${first} to ${last}: ${purpose} (${document}). No registry assigns this range.`;
    const special = { purpose, document };
    return { outcome, reason, block, special, sources: [{ id: 's1', ...source }], fetchedAt };
  }
}

/** Returns the answer whose outcome is most meaningful to the customer. */
function chosenOf(answers: readonly NumberAnswer[]): NumberAnswer {
  const order: LookupOutcome[] = [
    'not_registered',
    'throttled',
    'timeout',
    'unreachable',
    'parse_failed',
  ];
  const rank = ({ source }: NumberAnswer) => order.indexOf(source.outcome);
  return answers.toSorted((a, b) => rank(a) - rank(b))[0];
}
