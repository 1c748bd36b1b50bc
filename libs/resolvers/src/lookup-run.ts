import { mergeSources } from './merge.js';
import type { Lookup, LookupOutcome, SourceAnswer } from './record.js';
import type { Route } from './registries/registries.js';
import type { Answer, Question, SourceAsker } from './source-asker.js';
import { referralHost } from './whois/referral-host.js';

/** The registrar, and one more server that it may name. */
const REFERRALS_MAX = 2;

/** The waiting time that an answer names if no upstream named one. */
const RETRY_SECONDS_DEFAULT = 30;

const RETRY_SECONDS_MAX = 3_600;

const DECISIVE: ReadonlySet<LookupOutcome> = new Set([
  'delivered',
  'partial',
  'not_registered',
  'restricted',
]);

/** A lookup of one name: the registry by RDAP or port 43, then its registrar. */
export class LookupRun {
  private readonly sources: SourceAnswer[] = [];

  constructor(
    private readonly asker: SourceAsker,
    private readonly question: Question,
  ) {}

  /** Queries servers until there is an answer or the signal aborts. Never rejects. */
  async run(route: Route): Promise<Omit<Lookup, 'fetchedAt'>> {
    const registry = await this.askRegistry(route);
    if (registry === undefined) return this.conclude(this.failure());
    if (registry.outcome !== 'delivered' && registry.outcome !== 'partial') {
      return this.conclude(registry.outcome);
    }
    const registrars = await this.askRegistrar(registry);
    // A registrar's denial does not override the registry's record.
    const isWhole = registrars.every(
      ({ outcome }) => outcome === 'delivered' || outcome === 'not_registered',
    );
    return this.conclude(isWhole ? registry.outcome : 'partial');
  }

  private async askRegistry(route: Route): Promise<SourceAnswer | undefined> {
    const { rdapBaseUrl, whoisServer } = route;
    if (rdapBaseUrl !== undefined) {
      const url = `${rdapBaseUrl}domain/${this.question.name}`;
      const answer = this.keep(await this.asker.askRdap(url, 'registry', this.question));
      if (DECISIVE.has(answer.outcome)) return answer;
    }
    if (whoisServer === undefined || this.question.signal.aborted) return undefined;
    const answer = this.keep(await this.asker.askPort43(whoisServer, 'registry', this.question));
    return DECISIVE.has(answer.outcome) ? answer : undefined;
  }

  private async askRegistrar(registry: SourceAnswer): Promise<SourceAnswer[]> {
    const rdapUrl = registry.record?.referral?.rdapUrl;
    if (registry.protocol === 'whois43') return this.followReferrals(registry);
    // A registry that is its own registrar links to the answer that was just read.
    const isItself = rdapUrl?.toLowerCase().startsWith(registry.server.toLowerCase());
    if (rdapUrl === undefined || isItself === true) return [];
    return [this.keep(await this.asker.askRdap(rdapUrl, 'registrar', this.question))];
  }

  /**
   * Follows the referrals of a port-43 answer. Each host is queried once, so servers that refer to each other end the
   * chain.
   */
  private async followReferrals(registry: SourceAnswer): Promise<SourceAnswer[]> {
    const visited = new Set([registry.server]);
    const answers: SourceAnswer[] = [];
    let last = registry;
    while (answers.length < REFERRALS_MAX) {
      const named = last.record?.referral?.whoisServer ?? last.record?.registrar?.whoisServer;
      const host = named === undefined ? undefined : referralHost(named);
      if (host === undefined || visited.has(host)) break;
      visited.add(host);
      last = this.keep(await this.asker.askPort43(host, 'registrar', this.question));
      answers.push(last);
    }
    return answers;
  }

  private keep(answer: Answer): SourceAnswer {
    const source = { id: `s${this.sources.length + 1}`, ...answer };
    this.sources.push(source);
    return source;
  }

  private failure(): LookupOutcome {
    const outcomes = this.sources.map(({ outcome }) => outcome);
    const order: readonly LookupOutcome[] = ['throttled', 'unreachable', 'timeout', 'parse_failed'];
    return order.find((outcome) => outcomes.includes(outcome)) ?? 'timeout';
  }

  private conclude(outcome: LookupOutcome): Omit<Lookup, 'fetchedAt'> {
    const merged = DECISIVE.has(outcome) ? mergeSources(this.sources) : undefined;
    return {
      domain: this.question.name,
      outcome,
      fields: {},
      conflicts: [],
      ...merged,
      sources: this.sources,
      ...(DECISIVE.has(outcome) ? {} : { retryAfterSeconds: this.retryAfterSeconds() }),
    };
  }

  /** Returns the seconds until the first of the upstreams can be queried again; a default if none of them says so. */
  private retryAfterSeconds(): number {
    const named = this.sources.flatMap(({ retryAfterSeconds: seconds }) => seconds ?? []);
    if (named.length === 0) return RETRY_SECONDS_DEFAULT;
    return Math.max(1, Math.min(...named, RETRY_SECONDS_MAX));
  }
}
