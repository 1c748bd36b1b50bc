import { Injectable } from '@nestjs/common';
import { parseDomainName } from '#libs/domain-names';
import { Clock, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { DomainLookup, type Lookup } from '#libs/resolvers';
import { Fixtures } from '../fixtures/fixtures.js';
import { LookupConfig } from '../lookup.config.js';
import { AnswerCache, isFailure } from './answer-cache.js';
import { AnswerCounts } from './answer-counts.js';
import { type LiveAnswer, type LiveQuestion, liveAnswer } from './live-answer.js';
import { InvalidDomainName, LookupOverloaded } from './live.errors.js';
import type { Source } from '#libs/contracts';

/** A second look within this time may be answered from memory, as the gateway asks with a repeat. */
const REPEAT_MS = MINUTE_MS;
const WAITING_MAX = 2_000;

interface Found {
  lookup: Lookup;
  servedFrom: Source;
}

/** Answers live WHOIS questions: fixture, memory if the question allows it, registry. */
@Injectable()
export class LiveService {
  private waiting = 0;
  readonly counts = new AnswerCounts();

  constructor(
    private readonly domains: DomainLookup,
    private readonly cache: AnswerCache,
    private readonly fixtures: Fixtures,
    private readonly clock: Clock,
    private readonly config: LookupConfig,
  ) {}

  /**
   * @param repeat the gateway charged the same question less than a minute ago.
   * @throws InvalidDomainName, LookupOverloaded. What an upstream does is in the answer's status.
   */
  async answer(question: LiveQuestion, repeat: boolean): Promise<LiveAnswer> {
    const parsed = parseDomainName(question.domainName);
    if (!parsed.ok) throw new InvalidDomainName(parsed.message);
    const { lookup, servedFrom } = await this.find(parsed.domain.name, question, repeat);
    this.counts.note(lookup.outcome, servedFrom);
    const ageMs = this.clock.now().getTime() - lookup.fetchedAt.getTime();
    const ageSeconds = Math.max(0, Math.floor(ageMs / SECOND_MS));
    return liveAnswer(lookup, { servedFrom, ageSeconds }, question);
  }

  private async find(domain: string, question: LiveQuestion, repeat: boolean): Promise<Found> {
    const fixture = await this.fixtures.find(domain);
    if (fixture !== undefined) return { lookup: fixture, servedFrom: 'fixture' };
    const remembered = question.fresh ? undefined : this.remembered(domain, question, repeat);
    if (remembered !== undefined && !isFailure(remembered.lookup.outcome)) return remembered;
    const found = remembered ?? { lookup: await this.look(domain), servedFrom: 'live' };
    if (!question.allow_stale || !isFailure(found.lookup.outcome)) return found;
    const stale = this.cache.stale(domain);
    return stale === undefined ? found : { lookup: stale, servedFrom: 'stale_cache' };
  }

  private remembered(domain: string, question: LiveQuestion, repeat: boolean): Found | undefined {
    const now = this.clock.now();
    const repeated = repeat ? this.cache.fresh(domain, REPEAT_MS, now) : undefined;
    if (repeated !== undefined) return { lookup: repeated, servedFrom: 'repeat' };
    const maxAgeMs = question.max_age * SECOND_MS;
    const cached = maxAgeMs > 0 ? this.cache.fresh(domain, maxAgeMs, now) : undefined;
    const lookup = cached ?? this.cache.failure(domain, now);
    return lookup && { lookup, servedFrom: 'cache' };
  }

  private async look(domain: string): Promise<Lookup> {
    if (this.waiting >= WAITING_MAX) throw new LookupOverloaded();
    this.waiting += 1;
    try {
      const { budgetMs } = this.config;
      const lookup = await this.domains.lookup(domain, { priority: 'live', budgetMs });
      this.cache.put(lookup);
      return lookup;
    } finally {
      this.waiting -= 1;
    }
  }
}
