import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { domainName, listOf } from '../kinds.js';
import { LIVE_PARAMETERS } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { WHOIS_SECTIONS } from './whois-live.js';

export const BULK_NAMES_MAX = 100;
const NAME_LENGTH_MAX = 2_048;
const BODY_LIMIT_BYTES = 256 * 1_024;

/** Names that are asked about together. */
export class BulkNames {
  @ArrayMinSize(1)
  @ArrayMaxSize(BULK_NAMES_MAX)
  @IsString({ each: true })
  @MinLength(1, { each: true })
  @MaxLength(NAME_LENGTH_MAX, { each: true })
  domainNames: string[];
}

/** An answer to one of several questions: the members of a single answer, or why there is none. */
export class BulkItem {
  /** Place in the request, from 0. */
  @IsInt()
  @Min(0)
  index: number;

  /** Whether there is an answer. */
  @IsBoolean()
  status: boolean;

  /** Of a refusal: what a single request would have been answered. */
  @IsOptional()
  @IsInt()
  status_code?: number;

  @IsOptional()
  @IsString()
  code?: string;

  @IsOptional()
  @IsString()
  message?: string;
}

/** How many items were answered. */
export class BulkSummary {
  @IsInt()
  @Min(0)
  delivered: number;

  @IsInt()
  @Min(0)
  failed: number;
}

/** The closing line of a stream. */
export class BulkClosing {
  @ValidateNested()
  @Type(() => BulkSummary)
  summary: BulkSummary;
}

/** Answers in the order of the request. */
export class BulkWhoisAnswer extends BulkClosing {
  @IsBoolean()
  status: boolean;

  @ValidateNested({ each: true })
  @Type(() => BulkItem)
  bulk_whois_response: BulkItem[];
}

export const WHOIS_BULK = defineOperation({
  name: 'whois.bulk',
  summary: 'Live registration data of up to 100 domain names',
  description:
    'Results follow the order of the request. With `Accept: application/x-ndjson`, each result is streamed with its `index` as soon as it is ready, and a summary comes last. Only answered names are charged.',
  method: 'POST',
  routes: [
    { path: '/v2.0/bulkwhois/live', version: 2 },
    { path: '/v1.0/bulkwhois/live', version: 1, successor: '/v2.0/bulkwhois/live' },
  ],
  access: { kind: 'key', scope: 'bulk', class: 'bulk' },
  owner: { service: 'lookup', path: '/internal/whois/bulk' },
  parameters: {
    ...LIVE_PARAMETERS,
    include: {
      kind: listOf(WHOIS_SECTIONS),
      about: 'Comma-separated optional sections',
      example: 'provenance',
      default: ['provenance' as const],
      since: 2,
    },
  },
  body: {
    of: BulkNames,
    limitBytes: BODY_LIMIT_BYTES,
    example: { domainNames: ['registered.test', 'available.test'] },
    subjects: [{ kind: domainName(), of: ({ domainNames }: BulkNames) => domainNames }],
  },
  answers: [
    { type: 'application/json', of: BulkWhoisAnswer },
    { type: 'application/x-ndjson', of: BulkItem, last: BulkClosing },
  ],
  price: { per: 'item', credits: 1, items: ({ body }) => (body as BulkNames).domainNames.length },
  problems: ['lookup_overloaded'],
  examples: [
    {
      title: 'Two names',
      parameters: {},
      body: { domainNames: ['registered.test', 'throttled.test'] },
      answer: {
        status: true,
        bulk_whois_response: [
          { index: 0, status: true },
          {
            index: 1,
            status: false,
            status_code: 503,
            code: 'upstream_throttled',
            message: 'The registry is limiting our queries at the moment.',
          },
        ],
        summary: { delivered: 1, failed: 1 },
      },
    },
  ],
});
