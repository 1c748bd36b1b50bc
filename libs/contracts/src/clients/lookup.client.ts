import type { NameRecordType } from '../operations/dns/dns-answer.js';
import type { Outcome, Source } from '../operations/outcome.js';
import { jsonLines } from './json-lines.js';
import type { ServiceHttp } from './service-http.js';

export const QUESTION_NAMES_MAX = 1_000;
/** Maximum time, in seconds, for which a call may wait for rate-limited upstreams. */
export const QUESTION_WAIT_SECONDS_MAX = 25;

export interface NameQuestions {
  kind: 'whois' | 'dns';
  /** Up to 1,000. */
  names: readonly string[];
  /** Record types for `dns`; all by default. */
  types?: readonly NameRecordType[];
  /** The priority at an upstream: monitor, bulk, background. Live lookups come before all of them. */
  priority: 'monitor' | 'bulk' | 'background';
  /** The maximum age of answers from lookup's cache; 0 requires new queries. */
  maxAgeSeconds: number;
  /** How long the call may wait for turns at upstreams, 0 to 25 s; names without a turn by then get `laterSeconds`. */
  waitSeconds: number;
}

export interface NameFindings {
  /** Index in the list of requested names, from 0. */
  index: number;
  outcome: Outcome;
  servedFrom: Source;
  isCharged: boolean;
  body?: Record<string, unknown>;
  /** Why there is no answer. */
  problem?: { code: string; detail: string };
  /** Set if the upstream is not ready, so that no query was made: ask again after this many seconds. */
  laterSeconds?: number;
}

export class LookupClient {
  constructor(private readonly http: ServiceHttp) {}

  /**
   * Yields the result for each name, in the order of completion.
   * @param accountId the account for which names are looked up; its jobs have their own share of scarce upstreams,
   * apart from its live lookups.
   * @throws ServiceUnavailable, including if the answers end early.
   */
  async *ask(
    questions: NameQuestions,
    { accountId, signal }: { accountId?: string; signal: AbortSignal },
  ): AsyncGenerator<NameFindings> {
    const stream = await this.http.stream('/internal/questions', {
      body: questions,
      accountId,
      signal,
    });
    yield* jsonLines<NameFindings, { isLast: true }>(stream, 'lookup');
  }
}
