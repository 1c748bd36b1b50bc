import { Inject, Injectable } from '@nestjs/common';
import {
  type BulkHosts,
  type DNS_BULK,
  type DNS_LIVE,
  type DNS_PTR,
  NAME_RECORD_TYPES,
  type NameRecordType,
  type Outcome,
  type QuestionOf,
} from '#libs/contracts';
import { type IpAddress, parseDnsName, parseIpAddress, reverseDnsName } from '#libs/domain-names';
import { Clock, InvalidRequest, type Problem, SECOND_MS } from '#libs/platform';
import {
  DnsClient,
  type DnsLookup,
  type DnsType,
  isBlockedAddress,
  JoinedRuns,
  PublicNames,
  WayOut,
  lookUpDns,
} from '#libs/resolvers';
import {
  type AnswerCache,
  type Findings,
  type KeptKind,
  PARTIAL_KEPT_MS,
} from '../answers/answer-cache.js';
import { AnswerCounts } from '../answers/answer-counts.js';
import { BogonAddress, InvalidDomainName, LookupOverloaded } from '../answers/answers.errors.js';
import type { Asking } from '../answers/asked-by.js';
import { answerFrom, type DataAnswer } from '../answers/data-answer.js';
import type { ItemQuestions } from '../answers/item-answers.js';
import { type Found, type Freshness, RememberedAnswers } from '../answers/remembered-answers.js';
import { FIXTURE_TLD } from '../fixtures/fixtures.js';
import { LookupConfig } from '../lookup.config.js';
import { ObservationsService } from '../observations/observations.service.js';
import { type DnsSubject, dnsBody, withinBytes } from './dns-body.js';
import { dnsFixture } from './dns-fixtures.js';
import { NameNotPublic, ResolverTimeout, ResolverUnreachable } from './dns.errors.js';

/** The maximum time for which an answer counts as fresh here. Resolvers cache for longer. */
const KEPT_MAX_SECONDS = 300;
const ENTRY_OVERHEAD_BYTES = 500;
/** DNS answers are small, so their cache has one eighth of the configured size. */
const CACHE_SHARE = 8;
/**
 * The maximum size of the records of one of several names: a hundred names must fit into the 4 MiB
 * that the gateway passes on.
 */
const ITEM_RECORDS_BYTES = 40_000;

/** A lookup with its outcome, as the answer cache and charging require. */
export type DnsFindings = DnsLookup & Findings;

export const KEPT_DNS: KeptKind<DnsFindings> = {
  freshForMs: ({ records, outcome }) => {
    const seconds = Math.min(KEPT_MAX_SECONDS, ...records.map(({ ttlSeconds }) => ttlSeconds));
    return Math.min(outcome === 'partial' ? PARTIAL_KEPT_MS : Infinity, SECOND_MS * seconds);
  },
  sizeBytes: (lookup) => ENTRY_OVERHEAD_BYTES + 2 * JSON.stringify(lookup).length,
  isFailureKept: () => true,
  bare: (failure) => failure,
};

export interface DnsQuestion {
  /** The requested name, in lower-case A-labels. */
  name: string;
  types: readonly DnsType[];
  subject: DnsSubject;
  isFixture: boolean;
}

@Injectable()
export class DnsService {
  readonly cache: AnswerCache<DnsFindings>;
  private readonly answers: RememberedAnswers<DnsFindings>;
  private readonly runs = new JoinedRuns<DnsFindings>();
  @Inject(WayOut) private readonly wayOut!: WayOut;

  constructor(
    private readonly client: DnsClient,
    counts: AnswerCounts,
    private readonly clock: Clock,
    private readonly config: LookupConfig,
    private readonly publicNames: PublicNames,
    private readonly observations: ObservationsService,
  ) {
    this.answers = new RememberedAnswers(KEPT_DNS, CACHE_SHARE, { counts, clock, config });
    this.cache = this.answers.cache;
  }

  /**
   * Answers a question about one name or address. Failures of resolvers are in the outcome. @throws InvalidRequest,
   * InvalidDomainName, NameNotPublic, BogonAddress, LookupOverloaded
   */
  async live(question: QuestionOf<typeof DNS_LIVE>, how: Asking): Promise<DataAnswer> {
    const { domainName = '', ipAddress, type } = question;
    const asked = ipAddress ? ofAddress(ipAddress) : ofName(domainName, type);
    return this.answer(asked, question, how);
  }

  /**
   * Finds the names that the holder of an address publishes for it. @throws BogonAddress, NameNotPublic,
   * LookupOverloaded
   */
  async namesOf(question: QuestionOf<typeof DNS_PTR>, how: Asking): Promise<DataAnswer> {
    return this.answer(ofAddress(question.value), question, how);
  }

  /**
   * Answers questions about several names and addresses, each as if it had been requested alone,
   * but within the time limit of one lookup. Questions without an answer by then time out, free of
   * charge.
   * @throws InvalidRequest if there is no question; each answer the errors of a single question, and ResolverTimeout.
   */
  questions(
    { domainNames = [], ipAddresses = [] }: BulkHosts,
    question: QuestionOf<typeof DNS_BULK>,
    asker: string | undefined,
  ): ItemQuestions {
    const count = domainNames.length + ipAddresses.length;
    if (count === 0) {
      const message = 'must contain a name, or "ipAddresses" must contain an address';
      throw new InvalidRequest([{ field: 'domainNames', message }]);
    }
    const isName = (index: number) => index < domainNames.length;
    const addressAt = (index: number) => ipAddresses[index - domainNames.length];
    const late = AbortSignal.timeout(this.config.budgetMs);
    return {
      count,
      member: 'bulk_dns_info',
      subject: (index) =>
        isName(index) ? { domain_name: domainNames[index] } : { ip_address: addressAt(index) },
      answer: async (index, signal) => {
        const asked = isName(index)
          ? ofName(domainNames[index], question.type)
          : ofAddressText(addressAt(index));
        const asking = { repeat: false, asker, signal: AbortSignal.any([signal, late]) };
        return this.answer(asked, question, asking, ITEM_RECORDS_BYTES).catch((error: unknown) => {
          throw error === late.reason ? new ResolverTimeout(false) : error;
        });
      },
    };
  }

  /**
   * Returns the records of a registrable name; undefined if no resolver answers. @throws InvalidDomainName,
   * InvalidRequest, NameNotPublic, LookupOverloaded
   */
  async known(
    domainName: string,
    freshness: Freshness,
    asking: Asking,
  ): Promise<DnsLookup | undefined> {
    const { lookup } = await this.find(ofName(domainName, ['all']), freshness, asking);
    return dnsProblemOf(lookup, this.wayOut) ? undefined : lookup;
  }

  /**
   * Answers from a fixture, the cache or a resolver. @throws NameNotPublic, LookupOverloaded
   * @param bytesMax as in `withinBytes`; if a type is left out, the outcome is `partial`.
   */
  private async answer(
    asked: DnsQuestion,
    question: Freshness & { fields?: string[] },
    asking: Asking,
    bytesMax = Infinity,
  ): Promise<DataAnswer> {
    const { lookup: whole, serving } = await this.find(asked, question, asking);
    const short = bytesMax === Infinity ? whole : withinBytes(whole, bytesMax);
    const outcome = short === whole ? whole.outcome : 'partial';
    const problem = dnsProblemOf(whole, this.wayOut);
    return answerFrom(
      { lookup: { outcome }, serving },
      problem,
      () => dnsBody(asked.subject, short, whole.fetchedAt),
      question.fields,
    );
  }

  private async find(
    asked: DnsQuestion,
    freshness: Freshness,
    { repeat, signal, isKept, isCollected, asker }: Asking,
  ): Promise<Found<DnsFindings>> {
    const { name, types, isFixture } = asked;
    if (!isFixture && !this.publicNames.isPublic(name)) throw new NameNotPublic(name);
    const fixture = isFixture ? this.found(dnsFixture(name, types)) : undefined;
    const look = async () =>
      this.runs.join(keyOf(asked), signal, (abandon) =>
        this.look(asked, { signal: abandon.signal, asker, isCollected }),
      );
    const question = { ...freshness, repeat, isKept, asker };
    return this.answers.find(keyOf(asked), question, look, fixture);
  }

  private async look(
    { name, types }: DnsQuestion,
    { signal, asker, isCollected }: Pick<Asking, 'signal' | 'asker' | 'isCollected'>,
  ): Promise<DnsFindings> {
    const { dnsTimeoutMs: timeoutMs } = this.config;
    const isPublic = (one: string) => this.publicNames.isPublic(one);
    const lookup = await lookUpDns(this.client, name, types, {
      timeoutMs,
      signal,
      asker,
      isPublic,
    });
    // A cancelled query says nothing about the name.
    signal.throwIfAborted();
    // Neither does a query that our own limit prevented. The limit may concern only one account, and an answer that
    // lacks a type for this reason would be charged.
    if (Object.values(lookup.errors).includes('busy')) throw new LookupOverloaded();
    const found = this.found(this.withoutPrivate(lookup));
    this.observations.noteDns(found, types, { at: found.fetchedAt, isCollected });
    return found;
  }

  /**
   * Omits addresses of private networks, and marks their types in `errors`: they would reveal something about our
   * network or mislead the client (S123).
   */
  private withoutPrivate(lookup: DnsLookup): DnsLookup {
    const errors = { ...lookup.errors };
    const records = lookup.records.filter((record) => {
      const isHidden = 'address' in record && this.publicNames.isHidden(record.address);
      if (isHidden) errors[record.type] = 'private_address';
      return !isHidden;
    });
    return { ...lookup, records, errors };
  }

  private found(lookup: DnsLookup): DnsFindings {
    return { ...lookup, outcome: outcomeOf(lookup), fetchedAt: this.clock.now() };
  }
}

/** Returns the problem of a DNS outcome; undefined for answers. */
function dnsProblemOf(
  { outcome, retryAfterSeconds }: DnsFindings,
  { isCutOff }: WayOut,
): Problem | undefined {
  if (outcome === 'timeout') return new ResolverTimeout(isCutOff, retryAfterSeconds);
  return outcome === 'unreachable'
    ? new ResolverUnreachable(isCutOff, retryAfterSeconds)
    : undefined;
}

/** Returns a question about a name. @throws InvalidRequest, InvalidDomainName */
function ofName(text: string, wanted: readonly ('all' | NameRecordType)[]): DnsQuestion {
  if (text === '') {
    const message = 'is required, or "ipAddress" instead';
    throw new InvalidRequest([{ field: 'domainName', message }]);
  }
  const parsed = parseDnsName(text);
  if (!parsed.ok) throw new InvalidDomainName(parsed.message);
  const { host, tld } = parsed;
  const types = wanted.includes('all') ? NAME_RECORD_TYPES : (wanted as NameRecordType[]);
  return {
    name: host,
    types,
    subject: { domain_name: host },
    isFixture: tld === FIXTURE_TLD,
  };
}

/** Returns the question for the text of an address. @throws InvalidRequest, BogonAddress */
function ofAddressText(text: string): DnsQuestion {
  const parsed = parseIpAddress(text);
  if (parsed.ok) return ofAddress(parsed.ip);
  throw new InvalidRequest([{ field: 'ipAddresses', message: parsed.message }]);
}

/**
 * Returns the question for an address; 192.0.2.1 is a fixture. @throws BogonAddress for any other address that has no
 * names in the public DNS.
 */
function ofAddress(ip: IpAddress): DnsQuestion {
  const name = reverseDnsName(ip);
  const isFixture = name === reverseDnsName({ address: '192.0.2.1', version: 4 });
  if (!isFixture && isBlockedAddress(ip.address)) {
    throw new BogonAddress(`${ip.address} is reserved by the standards and has no public names.`);
  }
  return { name, types: ['PTR'], subject: { ip_address: ip.address }, isFixture };
}

/** Returns the outcome of a lookup. A missing name or record is an answer; unreachable resolvers are a failure. */
function outcomeOf({ rcode, errors }: DnsLookup): Outcome {
  if (rcode !== undefined) return Object.keys(errors).length === 0 ? 'delivered' : 'partial';
  return Object.values(errors).every((error) => error === 'timeout') ? 'timeout' : 'unreachable';
}

function keyOf({ name, types }: DnsQuestion): string {
  return `${name} ${types.toSorted().join(',')}`;
}
