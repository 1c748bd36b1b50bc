import { Inject, Injectable } from '@nestjs/common';
import { parseDomainName } from '#libs/domain-names';
import { Clock } from '#libs/platform';
import { DomainLookup, type Lookup, type Priority, WayOut } from '#libs/resolvers';
import type { AnswerCache } from '../answers/answer-cache.js';
import { AnswerCounts } from '../answers/answer-counts.js';
import { InvalidDomainName } from '../answers/answers.errors.js';
import type { Asking } from '../answers/asked-by.js';
import type { DataAnswer } from '../answers/data-answer.js';
import { type Found, type Freshness, RememberedAnswers } from '../answers/remembered-answers.js';
import { ObservationsService } from '../observations/observations.service.js';
import { Fixtures } from '../fixtures/fixtures.js';
import { LookupConfig } from '../lookup.config.js';
import { KEPT_DOMAIN } from './kept-domain.js';
import { type BulkQuestion, type LiveQuestion, liveAnswer } from './live-answer.js';

export interface DomainAsking extends Asking {
  /** `live` by default. */
  priority?: Priority;
  /** The time limit of the lookup; by default, the configured one. */
  budgetMs?: number;
  /** The longest wait for a turn at a server; by default, as long as `budgetMs` allows. */
  waitMaxMs?: number;
}

/** Answers live WHOIS questions: from a fixture, from the cache if the question allows it, or from a registry. */
@Injectable()
export class LiveService {
  readonly cache: AnswerCache<Lookup>;
  private readonly answers: RememberedAnswers<Lookup>;
  @Inject(WayOut) private readonly wayOut!: WayOut;

  constructor(
    private readonly domains: DomainLookup,
    private readonly fixtures: Fixtures,
    counts: AnswerCounts,
    clock: Clock,
    private readonly config: LookupConfig,
    private readonly observations: ObservationsService,
  ) {
    this.answers = new RememberedAnswers(KEPT_DOMAIN, 1, { counts, clock, config });
    this.cache = this.answers.cache;
  }

  /** Answers a question. @throws InvalidDomainName, LookupOverloaded. Failures of upstreams are in the outcome. */
  async answer(
    domainName: string,
    question: LiveQuestion | BulkQuestion,
    asking: DomainAsking,
  ): Promise<DataAnswer> {
    return liveAnswer(await this.find(domainName, question, asking), question, this.wayOut);
  }

  /**
   * Finds the registration of a name, from any source that the question allows. Failures of
   * upstreams are in the outcome.
   * @throws InvalidDomainName, LookupOverloaded
   */
  async find(
    domainName: string,
    freshness: Freshness,
    { repeat, budgetMs = this.config.budgetMs, ...asking }: DomainAsking,
  ): Promise<Found<Lookup>> {
    const parsed = parseDomainName(domainName);
    if (!parsed.ok) throw new InvalidDomainName(parsed.message);
    const { name } = parsed.domain;
    const look = async () => {
      const lookup = await this.domains.lookup(name, { ...asking, budgetMs });
      this.observations.noteWhois(lookup);
      return lookup;
    };
    const { isKept, asker } = asking;
    const question = { ...freshness, repeat, isKept, asker };
    return this.answers.find(name, question, look, await this.fixtures.find(name));
  }
}
