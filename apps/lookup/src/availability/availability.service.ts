import { Injectable } from '@nestjs/common';
import {
  type AVAILABILITY,
  type AVAILABILITY_BULK,
  type Availability,
  type AvailabilityNames,
  type QuestionOf,
  namesUnder,
} from '#libs/contracts';
import { type DomainName, parseDomainName } from '#libs/domain-names';
import { AccountTurns, Clock, InvalidRequest, Turns, monotonicMs } from '#libs/platform';
import { DnsClient, DnsFault, PublicNames } from '#libs/resolvers';
import { InvalidDomainName } from '../answers/answers.errors.js';
import type { Asking } from '../answers/asked-by.js';
import { FIXTURE_TLD } from '../fixtures/fixtures.js';
import type { Serving } from '../serializers/provenance-body.js';
import type { ItemQuestions } from '../answers/item-answers.js';
import { LiveService } from '../live/live.service.js';
import { LookupConfig } from '../lookup.config.js';
import { QuestionPlaces } from '../questions/question-places.js';
import { selected } from '../serializers/field-selection.js';
import {
  type Delegation,
  NOBODY_KNOWS,
  type Verdict,
  delegationIn,
  outcomeOfWord,
  registryWord,
  verdictByDelegation,
  verdictOf,
} from './availability.js';
import { suggestionsFor } from './suggestions.js';

/** The number of suggestions that are checked at once for one account. */
const AT_A_TIME = 10;
/** Maximum number of suggestions that are checked for one request. Only the available ones among them are charged. */
const CHECKED_MAX = 300;
/** Maximum number of requests of an account whose suggestions are checked or wait for it. */
const WAITING_MAX = 200;
/** The number of names that are composed per turn of the event loop. */
const TURN_NAMES = 50;
/** Requires a new lookup of every name, except for repeats and for failures whose waiting time has not passed. */
const NOW = { max_age: 0, allow_stale: false };
const LIVE = { servedFrom: 'live', ageSeconds: 0 } as const;

interface Looking extends Asking {
  fresh: boolean;
  isBulk: boolean;
  /** The monotonic time, in milliseconds, by which the request must be answered. */
  untilMs: number;
}

interface Checked {
  body: Availability;
  serving: Serving;
}

export interface AvailabilityFound {
  body: Availability & { suggestions?: Availability[] };
  /** The number of names with a charged verdict, including the requested name. */
  chargedItems: number;
}

@Injectable()
export class AvailabilityService {
  /** Each request may check hundreds of names, which must not delay the lookups of other accounts (S102). */
  private readonly turns = new AccountTurns({ atOnce: 1, max: WAITING_MAX });
  /** Fewer places than for a worker's names, because no caller waits for any particular suggestion. */
  private readonly places = new QuestionPlaces({ first: 16, least: 4, most: 250 });

  constructor(
    private readonly live: LiveService,
    private readonly dns: DnsClient,
    private readonly clock: Clock,
    private readonly config: LookupConfig,
    private readonly publicNames: PublicNames,
  ) {}

  /**
   * Checks one name, and suggests alternatives if requested.
   * @throws InvalidDomainName, LookupOverloaded.
   */
  async one(
    { domainName, sug, count, fresh }: QuestionOf<typeof AVAILABILITY>,
    asking: Asking,
  ): Promise<AvailabilityFound> {
    const domain = domainOf(domainName);
    const untilMs = monotonicMs() + this.config.budgetMs;
    const looking = { ...asking, fresh, isBulk: false, untilMs };
    const { body, serving } = await this.check(domain, looking);
    const isCharged = body.availability !== 'unknown' && serving.servedFrom !== 'fixture';
    if (!sug) return { body, chargedItems: isCharged ? 1 : 0 };
    const suggestions = await this.suggest(domain, count, { ...looking, isBulk: true });
    const charged = suggestions.filter((one) => one.serving.servedFrom !== 'fixture').length;
    return {
      body: { ...body, suggestions: suggestions.map((one) => one.body) },
      chargedItems: (isCharged ? 1 : 0) + charged,
    };
  }

  /**
   * Checks several names, or one name under several suffixes. @throws InvalidRequest, InvalidDomainName; each answer
   * also LookupOverloaded.
   */
  several(
    { domainNames, tld }: AvailabilityNames,
    { domainName, fresh, fields }: QuestionOf<typeof AVAILABILITY_BULK>,
    asker: string | undefined,
  ): ItemQuestions {
    const names = domainNames ?? underSuffixes(domainName, tld);
    if ((domainNames === undefined) === (tld === undefined)) {
      const message = 'is required, or "tld" with "domainName" in the query, but not both';
      throw new InvalidRequest([{ field: 'domainNames', message }]);
    }
    const untilMs = monotonicMs() + this.config.budgetMs;
    return {
      count: names.length,
      member: 'domains',
      subject: (index) => ({ domain: names[index] }),
      answer: async (index, signal) => {
        const looking = { repeat: false, fresh, asker, isBulk: true, untilMs, signal };
        const { body, serving } = await this.check(domainOf(names[index]), looking);
        const outcome = outcomeOfWord(body.availability);
        return { outcome, serving, body: selected({ status: true, ...body }, fields) };
      },
    };
  }

  /** Finds the requested number of available names, or fewer if there are no more or the time runs out. */
  private async suggest(domain: DomainName, count: number, looking: Looking): Promise<Checked[]> {
    const candidates = await candidatesFor(domain);
    const found: Checked[] = [];
    const isOver = () => looking.signal.aborted || monotonicMs() >= looking.untilMs;
    const checkAll = async (names: readonly DomainName[]): Promise<Checked[]> => {
      if (isOver()) return [];
      const check = (one: DomainName) => this.places.use(() => this.check(one, looking));
      return Promise.all(names.map(check));
    };
    for (let at = 0; at < candidates.length && found.length < count && !isOver(); at += AT_A_TIME) {
      const batch = candidates.slice(at, at + AT_A_TIME);
      const checked = await this.turns.use(looking.asker ?? '', () => checkAll(batch));
      found.push(...checked.filter(({ body }) => body.availability === 'available'));
    }
    return found.slice(0, count);
  }

  private async check(domain: DomainName, looking: Looking): Promise<Checked> {
    if (domain.tld === FIXTURE_TLD) return this.checkFixture(domain, looking);
    // Later queries would be cut off at once, and would still count towards the limits of registries.
    if (monotonicMs() >= looking.untilMs) {
      return { body: this.bodyOf(domain, NOBODY_KNOWS), serving: LIVE };
    }
    const asked = this.delegationOf(domain.name, looking);
    if (looking.isBulk) {
      // For most names, one query to a resolver is enough. Registries limit the rate of queries.
      const byDns = verdictByDelegation(await asked);
      if (byDns) return { body: this.bodyOf(domain, byDns), serving: LIVE };
    }
    const [delegation, { lookup, serving }] = await Promise.all([asked, this.ask(domain, looking)]);
    const verdict = verdictOf(registryWord(lookup), delegation);
    const body = this.bodyOf(domain, verdict, lookup.reason);
    return { body, serving };
  }

  /** Checks a name under `test`. Names that are not fixtures, such as suggestions, are available. */
  private async checkFixture(domain: DomainName, looking: Looking): Promise<Checked> {
    const { lookup, serving } = await this.ask(domain, looking);
    const isNone = lookup.outcome === 'unsupported';
    const outcome = isNone ? 'not_registered' : lookup.outcome;
    const verdict = verdictOf({ outcome, protocol: 'rdap' }, 'not_delegated');
    return { body: this.bodyOf(domain, verdict), serving: { ...serving, servedFrom: 'fixture' } };
  }

  private async ask(domain: DomainName, looking: Looking) {
    const { fresh, isBulk, untilMs, ...asking } = looking;
    const budgetMs = Math.max(1, Math.floor(untilMs - monotonicMs()));
    const priority = isBulk ? 'bulk' : 'live';
    return this.live.find(domain.name, { ...NOW, fresh }, { ...asking, priority, budgetMs });
  }

  private async delegationOf(
    name: string,
    { untilMs, signal, asker }: Looking,
  ): Promise<Delegation> {
    if (!this.publicNames.isPublic(name)) return 'unknown';
    const timeoutMs = Math.min(this.config.dnsTimeoutMs, Math.max(1, untilMs - monotonicMs()));
    try {
      return delegationIn(await this.dns.ask(name, 'NS', { timeoutMs, signal, asker }), name);
    } catch (error) {
      if (error instanceof DnsFault) return 'unknown';
      throw error;
    }
  }

  private bodyOf({ name }: DomainName, verdict: Verdict, reason?: string): Availability {
    const { availability, method, confidence, isContradiction } = verdict;
    const can = { available: true, registered: false, restricted: false, unknown: null };
    return {
      domain: name,
      availability,
      domain_availability: can[availability],
      ...(method && { method }),
      confidence,
      ...(isContradiction && { contradiction: true }),
      ...(availability === 'unknown' && reason && { reason }),
      checked_at: this.clock.now().toISOString(),
    };
  }
}

/**
 * Returns the names that are checked as suggestions, at most `CHECKED_MAX`. Fixtures are suggested
 * only for fixtures.
 */
async function candidatesFor(domain: DomainName): Promise<DomainName[]> {
  const candidates: DomainName[] = [];
  const turns = new Turns(TURN_NAMES);
  for (const one of suggestionsFor(domain)) {
    await turns.spend();
    if ((one.tld === FIXTURE_TLD) !== (domain.tld === FIXTURE_TLD)) continue;
    if (candidates.push(one) === CHECKED_MAX) break;
  }
  return candidates;
}

function domainOf(text: string): DomainName {
  const parsed = parseDomainName(text);
  if (!parsed.ok) throw new InvalidDomainName(parsed.message);
  return parsed.domain;
}

/** Returns the names with one label under several suffixes. @throws InvalidRequest, InvalidDomainName */
function underSuffixes(base: string | undefined, suffixes: readonly string[] = []): string[] {
  if (suffixes.length === 0) return [];
  if (base === undefined || base === '') {
    throw new InvalidRequest([{ field: 'domainName', message: 'is required with "tld"' }]);
  }
  const names = namesUnder(base, suffixes);
  // If no name is valid, the error says what is wrong with the label.
  if (names.length === 0) domainOf(base);
  return names;
}
