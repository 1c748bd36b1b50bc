import { ArrayMinSize, IsString, MaxLength, MinLength } from 'class-validator';
import { BULK_BODY_BYTES, BULK_ITEMS_MAX, TextList } from '../bulk.js';
import { domainName } from '../kinds.js';
import { FORMAT } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { TypoScoresAnswer } from './typo-answer.js';

const NAME_LENGTH_MAX = 2_048;

/** A name, and other names to compare with it. */
export class TypoCandidates {
  @IsString()
  @MinLength(1)
  @MaxLength(NAME_LENGTH_MAX)
  domainName: string;

  @ArrayMinSize(1, { message: 'must name at least one domain' })
  @TextList()
  domainNames: string[];
}

export const TYPO_SCORES = defineOperation({
  name: 'domain.typos.scores',
  summary: 'Similarity of up to 100 domain names to one of your names',
  description:
    'Compares your own list of names with `domainName`, free of charge and without a lookup. The answer says how each name derives from `domainName` and how similar the two are. If one of the names is invalid, the whole request is rejected.',
  method: 'POST',
  routes: [{ path: '/v2.0/domain/typos', version: 2 }],
  access: { kind: 'key', scope: 'typos', class: 'bulk' },
  owner: { service: 'corpus', path: '/internal/typos' },
  parameters: { format: FORMAT },
  body: {
    of: TypoCandidates,
    limitBytes: BULK_BODY_BYTES,
    itemsMax: BULK_ITEMS_MAX,
    example: { domainName: 'registered.test', domainNames: ['redacted.test'] },
    subjects: [
      {
        kind: domainName(),
        of: ({ domainName: own, domainNames }: TypoCandidates) => [own, ...domainNames],
      },
    ],
  },
  takesIdempotencyKey: true,
  answers: [{ type: 'application/json', of: TypoScoresAnswer }],
  price: { per: 'free' },
  problems: ['service_unavailable'],
  examples: [
    {
      title: 'Two names',
      parameters: {},
      body: { domainName: 'registered.test', domainNames: ['redacted.test', 'registered.test'] },
      answer: {
        status: true,
        domain_name: 'registered.test',
        domains: [
          {
            domain_name: 'redacted.test',
            domain_unicode: 'redacted.test',
            kind: null,
            score: 0,
            reasons: [],
          },
          {
            domain_name: 'registered.test',
            domain_unicode: 'registered.test',
            kind: null,
            score: 0,
            reasons: [],
          },
        ],
      },
    },
  ],
});
