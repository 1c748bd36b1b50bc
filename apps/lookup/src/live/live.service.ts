import { Injectable } from '@nestjs/common';
import { parseDomainName } from '#libs/domain-names';
import { Clock, SECOND_MS } from '#libs/platform';
import { DomainLookup, type Lookup, type Priority } from '#libs/resolvers';
import { AnswerCache } from '../answers/answer-cache.js';
import { AnswerCounts } from '../answers/answer-counts.js';
import { InvalidDomainName } from '../answers/answers.errors.js';
import type { DataAnswer, Serving } from '../answers/data-answer.js';
import type { ItemAnswer } from '../answers/item-answers.js';
import { type Found, type Freshness, RememberedAnswers } from '../answers/remembered-answers.js';
import { Fixtures } from '../fixtures/fixtures.js';
import { LookupConfig } from '../lookup.config.js';
import { KEPT_DOMAIN } from './kept-domain.js';
import {
  type BulkQuestion,
  type LiveQuestion,
  liveAnswer,
  liveBody,
  liveProblem,
} from './live-answer.js';

/** How a name is asked about. */
export interface Asking {
  /** The gateway charged the same question less than a minute ago. */
  repeat?: boolean;
  /** `live` by default. */
  priority?: Priority;
  /** The account that asks. */
  asker?: string;
  /** Time for the lookup; that of the settings by default. */
  budgetMs?: number;
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal;
}

/** A lookup with how it came to be given. */
export interface FoundDomain {
  lookup: Lookup;
  serving: Serving;
}

/** Answers live WHOIS questions: fixture, memory if the question allows it, registry. */
@Injectable()
export class LiveService {
  readonly cache: AnswerCache<Lookup>;
  private readonly answers: RememberedAnswers<Lookup>;

  constructor(
    private readonly domains: DomainLookup,
    private readonly fixtures: Fixtures,
    private readonly counts: AnswerCounts,
    private readonly clock: Clock,
    private readonly config: LookupConfig,
  ) {
    const { cacheEntries: maxEntries, cacheBytes: maxBytes } = config;
    this.cache = new AnswerCache(KEPT_DOMAIN, { maxEntries, maxBytes });
    this.answers = new RememberedAnswers(this.cache, clock);
  }

  /** @throws InvalidDomainName, LookupOverloaded. What an upstream does is in the answer's status. */
  async answer(question: LiveQuestion, how: Asking): Promise<DataAnswer> {
    const { lookup, serving } = await this.find(question.domainName, question, how);
    return liveAnswer(lookup, serving, question);
  }

  /** One of several names of a request. @throws as `answer`, and for the refusal that its outcome is. */
  async answerItem(domainName: string, question: BulkQuestion, how: Asking): Promise<ItemAnswer> {
    const { lookup, serving } = await this.find(domainName, question, how);
    const { servedFrom } = serving;
    const { outcome } = lookup;
    const problem = liveProblem(lookup);
    return problem
      ? { outcome, servedFrom, problem }
      : { outcome, servedFrom, body: liveBody(lookup, serving, question) };
  }

  /** What is known of a name, from wherever the question allows. @throws InvalidDomainName, LookupOverloaded */
  async find(domainName: string, freshness: Freshness, how: Asking): Promise<FoundDomain> {
    const parsed = parseDomainName(domainName);
    if (!parsed.ok) throw new InvalidDomainName(parsed.message);
    const { name } = parsed.domain;
    const { lookup, servedFrom } = await this.findRegistrable(name, freshness, how);
    this.counts.note(lookup.outcome, servedFrom);
    const ageMs = this.clock.now().getTime() - lookup.fetchedAt.getTime();
    const ageSeconds = Math.max(0, Math.floor(ageMs / SECOND_MS));
    return { lookup, serving: { servedFrom, ageSeconds } };
  }

  private async findRegistrable(
    domain: string,
    freshness: Freshness,
    { repeat = false, priority = 'live', asker, budgetMs = this.config.budgetMs, signal }: Asking,
  ): Promise<Found<Lookup>> {
    const fixture = await this.fixtures.find(domain);
    if (fixture !== undefined) return { lookup: fixture, servedFrom: 'fixture' };
    return this.answers.find(domain, { ...freshness, repeat }, async () =>
      this.domains.lookup(domain, { priority, asker, budgetMs, signal }),
    );
  }
}
