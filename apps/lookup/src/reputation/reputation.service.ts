import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  CorpusClient,
  type IndexSignals,
  type QuestionOf,
  REPUTATION,
  ServiceHttp,
  maxCredits,
} from '#libs/contracts';
import { parseDomainName } from '#libs/domain-names';
import { Clock, Problem, ServiceTokens } from '#libs/platform';
import { type DnsLookup, WayOut } from '#libs/resolvers';
import { InvalidDomainName, TldUnsupported } from '../answers/answers.errors.js';
import type { Asking } from '../answers/asked-by.js';
import { type DataAnswer, problemOf } from '../answers/data-answer.js';
import { DnsService } from '../dns/dns.service.js';
import { FIXTURE_TLD } from '../fixtures/fixtures.js';
import { LiveService } from '../live/live.service.js';
import { LookupConfig } from '../lookup.config.js';
import { selected } from '../serializers/field-selection.js';
import { isFact, judgementOf } from './judgement.js';

type Question = QuestionOf<typeof REPUTATION>;

/** The time limit for the corpus. It is queried in parallel with the registry, which takes longer. */
const INDEX_TIMEOUT_MS = 3_000;
/** The weight of each part in the confidence. */
const SHARES = { registration: 0.4, index: 0.3, dns: 0.3 };
/** The price of an answer without the DNS. */
const FAST_CREDITS = maxCredits(REPUTATION.price, { values: { mode: 'fast' } });

@Injectable()
export class ReputationService implements OnModuleDestroy {
  private readonly http?: ServiceHttp;
  private readonly corpus?: CorpusClient;

  constructor(
    private readonly live: LiveService,
    private readonly dns: DnsService,
    private readonly clock: Clock,
    private readonly wayOut: WayOut,
    tokens: ServiceTokens,
    { corpusUrl: url }: LookupConfig,
  ) {
    if (url === undefined) return;
    const call = { caller: 'lookup', audience: 'corpus', timeoutMs: INDEX_TIMEOUT_MS } as const;
    this.http = new ServiceHttp({ url, tokens, ...call });
    this.corpus = new CorpusClient(this.http);
  }

  async onModuleDestroy(): Promise<void> {
    await this.http?.close();
  }

  /**
   * Answers a question about a name. @throws InvalidDomainName, LookupOverloaded. Failures of a registry are in the
   * answer.
   */
  async answer(question: Question, asking: Asking): Promise<DataAnswer> {
    const parsed = parseDomainName(question.domainName);
    if (!parsed.ok) throw new InvalidDomainName(parsed.message);
    const { name, unicode, tld } = parsed.domain;
    const { mode } = question;
    const [found, index, dns] = await Promise.all([
      this.live.find(name, question, asking),
      tld === FIXTURE_TLD ? undefined : this.indexOf(name),
      mode === 'full' ? this.dnsOf(name, question, asking) : undefined,
    ]);
    const { lookup, serving } = found;
    const { outcome, reason } = lookup;
    const problem = problemOf(lookup, this.wayOut, () => new TldUnsupported(reason));
    const registration = problem ? undefined : lookup;
    const known = { registration, index, dns };
    const now = this.clock.now();
    const judgement = judgementOf(known, now);
    // Without a registration or any other fact, there is no verdict, and the request is free.
    if (problem && !judgement.signals.some(isFact)) return { outcome, serving, problem };
    const parts = Object.keys(SHARES) as (keyof typeof SHARES)[];
    const body = {
      status: true,
      domain_name: name,
      domain_unicode: unicode,
      mode,
      ...judgement,
      confidence: confidenceOf(parts.filter((part) => known[part] !== undefined)),
      unknown: parts.filter(
        (part) => known[part] === undefined && (part !== 'dns' || mode === 'full'),
      ),
      assessed_at: now.toISOString(),
    };
    const isPartial = problem !== undefined || body.unknown.length > 0;
    return {
      outcome: isPartial ? 'partial' : 'delivered',
      serving,
      body: selected(body, question.fields),
      ...(dns === undefined && { creditsMax: FAST_CREDITS }),
    };
  }

  /** Asks the corpus about a name. Without an answer, the verdict is less certain. */
  private async indexOf(name: string): Promise<IndexSignals | undefined> {
    return this.corpus?.signals(name).catch(unknown);
  }

  private async dnsOf(
    name: string,
    question: Question,
    asking: Asking,
  ): Promise<DnsLookup | undefined> {
    return this.dns.known(name, question, asking).catch(unknown);
  }
}

/** Returns undefined for a `Problem`. @throws any other error. */
function unknown(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

function confidenceOf(parts: readonly (keyof typeof SHARES)[]): number {
  return Math.round(100 * parts.reduce((sum, part) => sum + SHARES[part], 0)) / 100;
}
