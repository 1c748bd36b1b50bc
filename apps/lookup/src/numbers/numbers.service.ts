import { Inject, Injectable } from '@nestjs/common';
import type { ASN_WHOIS, IP_WHOIS, NumberSection, QuestionOf } from '#libs/contracts';
import { Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { type NumberLookup, NumberLookups, type NumberRequest, WayOut } from '#libs/resolvers';
import {
  type AnswerCache,
  type KeptKind,
  PARTIAL_KEPT_MS,
  isFailure,
  saysSomething,
} from '../answers/answer-cache.js';
import { AnswerCounts } from '../answers/answer-counts.js';
import { BogonAddress } from '../answers/answers.errors.js';
import type { Asking } from '../answers/asked-by.js';
import { answerFrom, type DataAnswer, problemOf } from '../answers/data-answer.js';
import { type Freshness, RememberedAnswers } from '../answers/remembered-answers.js';
import { LookupConfig } from '../lookup.config.js';
import type { Json } from '../serializers/whois-body.js';
import { DelegatedNumbers } from './delegated-numbers.js';
import { type AddressOrigin, type Told, asnBody, ipBody, originOf } from './number-body.js';
import { RoutingFeed } from './routing-feed.js';
import { numberFixture } from './number-fixtures.js';

const ENTRY_OVERHEAD_BYTES = 2_000;
/** The maximum time for which an answer about an address waits for the registration of the origin. */
const ORIGIN_BUDGET_MS = 3 * SECOND_MS;
const NOT_REGISTERED_KEPT_MS = 10 * MINUTE_MS;
/** There are fewer blocks than domain names, so their cache has one quarter of the configured size. */
const CACHE_SHARE = 4;

export const KEPT_NUMBER: KeptKind<NumberLookup> = {
  freshForMs({ outcome }) {
    if (outcome === 'partial') return PARTIAL_KEPT_MS;
    return outcome === 'not_registered' ? NOT_REGISTERED_KEPT_MS : DAY_MS;
  },
  sizeBytes: (lookup) => ENTRY_OVERHEAD_BYTES + 2 * JSON.stringify(lookup).length,
  isFailureKept: saysSomething,
  bare: (failure) => ({ ...failure, block: undefined, sources: [] }),
};

type Question = Freshness & { fields?: string[]; include?: NumberSection[] };

interface Asked {
  /** The address, block or AS number, as it appears in the answer and as the key of the cache. */
  text: string;
  look: (request: NumberRequest) => Promise<NumberLookup>;
  body: (lookup: NumberLookup, told: Told) => Json | Promise<Json>;
}

@Injectable()
export class NumbersService {
  readonly cache: AnswerCache<NumberLookup>;
  private readonly answers: RememberedAnswers<NumberLookup>;
  @Inject(WayOut) private readonly wayOut!: WayOut;

  constructor(
    private readonly lookups: NumberLookups,
    private readonly feed: RoutingFeed,
    private readonly delegated: DelegatedNumbers,
    counts: AnswerCounts,
    private readonly clock: Clock,
    private readonly config: LookupConfig,
  ) {
    this.answers = new RememberedAnswers(KEPT_NUMBER, CACHE_SHARE, { counts, clock, config });
    this.cache = this.answers.cache;
  }

  /**
   * Answers a question about an address or block. @throws LookupOverloaded. Failures of a registry are in the answer's
   * status.
   */
  async ip(question: QuestionOf<typeof IP_WHOIS>, how: Asking): Promise<DataAnswer> {
    const { ip } = question;
    const isOne = ip.prefixLength === (ip.version === 4 ? 32 : 128);
    const text = isOne ? ip.address : `${ip.address}/${ip.prefixLength}`;
    return this.answer(question, how, {
      text,
      look: async (request) => this.lookups.lookUpBlock(ip, request),
      body: async (lookup, told) => {
        const origin = originOf(ip, lookup, this.feed);
        const isWanted = question.fields?.every((field) => !/^isp\b/.test(field)) !== true;
        const registration = isWanted ? await this.registrationOf(origin, told, how) : undefined;
        return ipBody(text, lookup, { ...origin, registration }, told);
      },
    });
  }

  /**
   * Answers a question about an AS number. @throws LookupOverloaded. Failures of a registry are in the answer's status.
   */
  async asn(question: QuestionOf<typeof ASN_WHOIS>, how: Asking): Promise<DataAnswer> {
    const { asn } = question;
    const { feed, delegated } = this;
    return this.answer(question, how, {
      text: `AS${asn}`,
      look: async (request) => this.lookups.lookUpAsn(asn, request),
      body: (lookup, told) => asnBody(asn, { feed, delegated }, lookup, told),
    });
  }

  private async answer(question: Question, how: Asking, asked: Asked): Promise<DataAnswer> {
    const { repeat, asker, signal } = how;
    const { budgetMs } = this.config;
    const found = await this.answers.find(
      asked.text,
      { ...question, repeat, asker },
      async () => asked.look({ priority: 'live', asker, budgetMs, signal }),
      numberFixture(asked.text, this.clock.now()),
    );
    const { lookup, serving } = found;
    const { reason = '' } = lookup;
    const problem = problemOf(lookup, this.wayOut, () => new BogonAddress(reason));
    // Version 1 has no such parameter. Like its answers about domain names, its answers about numbers contain the raw
    // text.
    const sections = new Set(question.include ?? ['raw' as const]);
    const told = { serving, sections };
    const body = problem === undefined ? await asked.body(lookup, told) : {};
    return answerFrom(found, problem, () => body, question.fields);
  }

  /**
   * Returns the registration of an address's origin, cached for a day; undefined or without `block` if the origin is
   * unknown or reserved, no feed of prefixes is loaded, or the lookup fails. The wait is short, because an answer about
   * an address is useful without the registration.
   */
  private async registrationOf(
    { asns: [asn], routing }: AddressOrigin,
    { serving }: Told,
    { asker, signal }: Asking,
  ): Promise<NumberLookup | undefined> {
    const isFixture = serving.servedFrom === 'fixture';
    if (asn === undefined || (!routing.is_loaded && !isFixture)) return undefined;
    const text = `AS${asn}`;
    if (isFixture) return numberFixture(text, this.clock.now());
    const known = this.cache.fresh(text, DAY_MS, this.clock.now());
    if (known) return known;
    const hasty = `${text} in a short time`;
    const isFailed = [text, hasty].some((key) => this.cache.failure(key, this.clock.now()));
    if (isFailed) return undefined;
    const request = { priority: 'live', asker, budgetMs: ORIGIN_BUDGET_MS, signal } as const;
    const lookup = await this.lookups.lookUpAsn(asn, request).catch(() => undefined);
    // Nobody holds a reserved number, such as a private one that a network announces by mistake.
    if (lookup?.special) return undefined;
    // A lookup that is given the whole time may still succeed.
    if (lookup) this.cache.put(isFailure(lookup.outcome) ? hasty : text, lookup);
    return lookup;
  }
}
