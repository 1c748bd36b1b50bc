import { Injectable } from '@nestjs/common';
import { parseDomainName } from '#libs/domain-names';
import { Clock, SECOND_MS } from '#libs/platform';
import { DomainLookup, type Lookup } from '#libs/resolvers';
import { AnswerCache } from '../answers/answer-cache.js';
import { AnswerCounts } from '../answers/answer-counts.js';
import { InvalidDomainName } from '../answers/answers.errors.js';
import type { DataAnswer } from '../answers/data-answer.js';
import { type Found, RememberedAnswers } from '../answers/remembered-answers.js';
import { Fixtures } from '../fixtures/fixtures.js';
import { LookupConfig } from '../lookup.config.js';
import { KEPT_DOMAIN } from './kept-domain.js';
import { type LiveQuestion, liveAnswer } from './live-answer.js';

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

  /**
   * @param repeat the gateway charged the same question less than a minute ago.
   * @throws InvalidDomainName, LookupOverloaded. What an upstream does is in the answer's status.
   */
  async answer(question: LiveQuestion, repeat: boolean): Promise<DataAnswer> {
    const parsed = parseDomainName(question.domainName);
    if (!parsed.ok) throw new InvalidDomainName(parsed.message);
    const { lookup, servedFrom } = await this.find(parsed.domain.name, question, repeat);
    this.counts.note(lookup.outcome, servedFrom);
    const ageMs = this.clock.now().getTime() - lookup.fetchedAt.getTime();
    const ageSeconds = Math.max(0, Math.floor(ageMs / SECOND_MS));
    return liveAnswer(lookup, { servedFrom, ageSeconds }, question);
  }

  private async find(
    domain: string,
    question: LiveQuestion,
    repeat: boolean,
  ): Promise<Found<Lookup>> {
    const fixture = await this.fixtures.find(domain);
    if (fixture !== undefined) return { lookup: fixture, servedFrom: 'fixture' };
    const { budgetMs } = this.config;
    return this.answers.find(domain, { ...question, repeat }, async () =>
      this.domains.lookup(domain, { priority: 'live', budgetMs }),
    );
  }
}
