import { ServiceUnavailable } from '#libs/platform';
import {
  OUTCOME_HEADER,
  type Outcome,
  SOURCE_HEADER,
  type Source,
  outcomeOf,
  sourceOf,
} from '../operations/outcome.js';
import type { Operation } from '../operations/operation.js';
import { WHOIS_LIVE } from '../operations/whois/whois-live.js';
import type { WhoisAnswer } from '../operations/whois/whois-answer.js';
import type { ValuesOf } from '../operations/parameter.js';
import type { ServiceHttp } from './service-http.js';

/** An answer of lookup, with how its question ended. */
export interface LookupReply<Answer> {
  outcome: Outcome;
  source: Source;
  answer: Answer;
}

type QuestionTo<O extends Operation> =
  O extends Operation<infer P> ? Partial<ValuesOf<P>> : Record<string, never>;

/** Typed calls to lookup's internal routes, for services that need data themselves. */
export class LookupClient {
  constructor(private readonly http: ServiceHttp) {}

  /**
   * Registration data of one name, in the words of version 2 without `meta`.
   * @throws Problem that lookup refused with: what the registry did, or what is wrong with the name.
   */
  async whoisLive(
    question: QuestionTo<typeof WHOIS_LIVE> & { domainName: string },
    timeoutMs?: number,
  ): Promise<LookupReply<WhoisAnswer>> {
    const query = new URLSearchParams({ version: '2' });
    for (const [name, value] of Object.entries(question)) {
      if (value !== undefined) query.set(name, String(value));
    }
    const path = `${WHOIS_LIVE.owner.path}?${query.toString()}`;
    const { body, headers } = await this.http.answer('GET', path, { timeoutMs });
    const outcome = outcomeOf(String(headers[OUTCOME_HEADER]));
    const source = sourceOf(String(headers[SOURCE_HEADER]));
    // An answer whose end is not known cannot be charged or believed.
    if (outcome === undefined || source === undefined) throw new ServiceUnavailable('lookup');
    return { outcome, source, answer: body as WhoisAnswer };
  }
}
