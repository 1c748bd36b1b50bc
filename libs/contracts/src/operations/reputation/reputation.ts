import {
  IsBoolean,
  IsIn,
  IsISO8601,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  Min,
} from 'class-validator';
import { NestedList, OptionalText } from '../../members.js';
import { domainName, oneOf } from '../kinds.js';
import { LIVE_PARAMETERS, LIVE_PROBLEMS, fieldsOf } from '../live-parameters.js';
import { defineOperation } from '../operation.js';

export const VERDICTS = ['trusted', 'neutral', 'suspicious', 'malicious'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A fact about a name, and its meaning for the reputation. */
export class ReputationSignal {
  @IsString()
  code: string;

  /** Points that the signal adds to the score (negative: subtracts); 0 leaves the score unchanged. */
  @IsInt()
  weight: number;

  /** What was observed, in words. */
  @IsString()
  evidence: string;

  /** The confidence in the observation, 0 to 1. */
  @IsNumber()
  @Min(0)
  @Max(1)
  confidence: number;

  /** The block list; only for a signal from a block list. */
  @OptionalText()
  source?: string;

  /** When the name, or the host below it, entered the list. */
  @IsOptional()
  @IsISO8601()
  listed_at?: string;
}

/** The reputation of a name, with all of its evidence. */
export class ReputationAnswer {
  @IsBoolean()
  status: boolean;

  @IsString()
  domain_name: string;

  @IsString()
  domain_unicode: string;

  @IsIn(['fast', 'full'])
  mode: string;

  /** 0 (risk) to 100 (trust). */
  @IsInt()
  @Min(0)
  @Max(100)
  score: number;

  @IsIn(VERDICTS)
  verdict: Verdict;

  /** The share of the possible evidence that was available, 0 to 1. */
  @IsNumber()
  @Min(0)
  @Max(1)
  confidence: number;

  @NestedList(() => ReputationSignal)
  signals: ReputationSignal[];

  /** The sources that could not be queried: `registration`, `index`, `dns`. */
  @IsString({ each: true })
  unknown: string[];

  @IsISO8601()
  assessed_at: string;
}

export const REPUTATION = defineOperation({
  name: 'domain.reputation',
  summary: 'Reputation of a domain name: a verdict, a score and the signals behind them',
  description:
    'The score starts at 50, and each signal adds its weight. Together, the hosts below the name that are on block lists subtract at most 20, because on a large service, customers decide what these hosts serve. `mode=fast` checks the registration and the data already collected about the name; `full` also checks its DNS. The verdict `malicious` is given only to a name on a loaded block list; the answer gives the list and its date. Redacted contacts do not change the score. Data that cannot be retrieved lowers `confidence`, not the score. If the registration cannot be retrieved and no other source knows anything about the name, the request fails and costs nothing.',
  method: 'GET',
  routes: [{ path: '/v2.0/domain/reputation', version: 2 }],
  access: { kind: 'key', scope: 'reputation', class: 'live' },
  owner: { service: 'lookup', path: '/internal/reputation' },
  subject: 'domainName',
  parameters: {
    domainName: {
      kind: domainName(),
      about: 'A domain name, a URL or an internationalised name, up to 2,048 characters',
      example: 'registered.test',
      synonyms: ['domain'],
      isRequired: true,
    },
    mode: {
      kind: oneOf(['fast', 'full']),
      about:
        '`full` also checks the DNS of the name, and costs 3 credits (1 without an answer of the DNS)',
      example: 'full',
      default: 'fast' as const,
    },
    ...LIVE_PARAMETERS,
    fields: fieldsOf('score,verdict', ReputationAnswer),
  },
  answers: [{ type: 'application/json', of: ReputationAnswer }],
  price: { per: 'answer', credits: { parameter: 'mode', by: { fast: 1, full: 3 } } },
  problems: [
    'invalid_domain_name',
    'name_not_public',
    'resolver_timeout',
    'resolver_unreachable',
    'tld_unsupported',
    ...LIVE_PROBLEMS,
  ],
  examples: [
    {
      title: 'A registered name',
      parameters: { domainName: 'registered.test' },
      answer: {
        status: true,
        domain_name: 'registered.test',
        domain_unicode: 'registered.test',
        mode: 'fast',
        score: 80,
        verdict: 'trusted',
        confidence: 0.4,
        signals: [
          {
            code: 'old_registration',
            weight: 20,
            evidence: 'registered since 2001-05-09',
            confidence: 1,
          },
          {
            code: 'paid_ahead',
            weight: 5,
            evidence: 'registered until 2031-05-09',
            confidence: 1,
          },
          { code: 'dnssec', weight: 5, evidence: 'its delegation is signed', confidence: 1 },
        ],
        unknown: ['index'],
        assessed_at: '2026-11-20T11:42:03.000Z',
      },
    },
  ],
  fixtures: [
    { value: 'registered.test', answers: 'an old registration' },
    { value: 'redacted.test', answers: 'the same, with contacts withheld' },
    { value: 'available.test', answers: 'a name that is not registered' },
  ],
});
