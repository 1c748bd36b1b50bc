import type { NameRecordType } from '../operations/dns/dns-answer.js';
import type { Outcome, Source } from '../operations/outcome.js';
import { jsonLines } from './json-lines.js';
import type { ServiceHttp } from './service-http.js';

/** Names of one call at most. */
export const QUESTION_NAMES_MAX = 1_000;
/** Seconds that a call may wait for the pace of upstreams. */
export const QUESTION_WAIT_SECONDS_MAX = 25;

/** The questions of jobs, monitors and the collector about many names. */
export interface NameQuestions {
  kind: 'whois' | 'dns';
  /** Up to 1,000. */
  names: readonly string[];
  /** Record types of `dns`; all without them. */
  types?: readonly NameRecordType[];
  /** The priority at an upstream: monitor, bulk, background. Live lookups come before all of them. */
  priority: 'monitor' | 'bulk' | 'background';
  /** Answers from lookup's memory may be as old as this; 0 asks again. */
  maxAgeSeconds: number;
  /** How long the call may wait for turns at upstreams, 0 to 25 s; names without a turn by then are `later`. */
  waitSeconds: number;
}

/** The answer about one name. */
export interface NameFindings {
  /** Place among the names asked about, from 0. */
  index: number;
  outcome: Outcome;
  servedFrom: Source;
  isCharged: boolean;
  /** The members of its answer. */
  body?: Record<string, unknown>;
  /** Why there is none. */
  problem?: { code: string; detail: string };
  /** The upstream is not ready: ask again after so many seconds. Nobody has been asked in vain. */
  laterSeconds?: number;
}

/** Asks lookup about many names at once. */
export class LookupClient {
  constructor(private readonly http: ServiceHttp) {}

  /**
   * Yields what becomes of each name, in the order in which they are finished.
   * @param accountId for whom; its jobs have a share of scarce upstreams of their own, apart from its live lookups.
   * @throws ServiceUnavailable, also when the answers break off before the last.
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
