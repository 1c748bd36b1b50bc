import { IsBoolean, IsISO8601, IsInt, IsString } from 'class-validator';
import { Nested, NestedList } from '../../members.js';
import { dashboardCall } from '../dashboard-call.js';
import { boolean, day, idOf, text } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { Paging, onePage } from '../paging/paging-answer.js';

/** How long the request log keeps a request, in days. After that, the partition with the request is dropped. */
export const REQUESTS_KEPT_DAYS = 90;

export const REQUEST_DAYS_MAX = 31;

/** A request of an account, as logged. */
export class LoggedRequest {
  @IsString()
  request_id: string;

  /** RFC 3339. */
  @IsISO8601()
  at: string;

  /** The id of the key or, for requests made on the dashboard, of your account. */
  @IsString()
  key_id: string;

  @IsString()
  operation: string;

  /**
   * The subject; for a bulk request, those of its names that fit in 255 characters, separated by a comma and a space.
   */
  @IsString()
  subject: string;

  @IsInt()
  status: number;

  @IsString()
  outcome: string;

  @IsInt()
  credits: number;

  @IsInt()
  duration_ms: number;

  /**
   * 1, or the number of rejections of one kind that this row represents: a key's rejections in a minute beyond the
   * first 20.
   */
  @IsInt()
  requests: number;
}

export class RequestsAnswer {
  @IsBoolean()
  status: boolean;

  /** Newest first. */
  @NestedList(() => LoggedRequest)
  requests: LoggedRequest[];

  @Nested(() => Paging)
  paging: Paging;
}

/** The filters of a list of requests; the same for keys and for the dashboard. */
const PARAMETERS = {
  day: {
    kind: day(),
    about: `Day (UTC) of the requests; the log goes back ${REQUESTS_KEPT_DAYS} days`,
    isRequired: true,
    example: '2026-11-20',
  },
  from: {
    kind: day(),
    about: `First day (UTC) of a range of up to ${REQUEST_DAYS_MAX} days that ends with \`day\``,
    example: '2026-11-18',
  },
  operation: {
    kind: text(60, {
      pattern: /^[a-z][a-z0-9_.-]*$/,
      rule: 'must be the name of an operation, such as whois.live',
    }),
    about: 'Only requests of this operation',
    example: 'whois.live',
  },
  key_id: {
    kind: idOf('a key'),
    about: 'Only requests of this key',
    example: '019a5f00-0000-7000-8000-000000000005',
  },
  status: {
    kind: text(3, {
      pattern: /^[1-5]([0-9]{2}|xx)$/,
      rule: 'must be a status such as 429, or a class such as 4xx',
    }),
    about: 'Only requests answered with this HTTP status or status class (`4xx`)',
    example: '4xx',
  },
  subject: {
    kind: text(255),
    about:
      'Only requests for this name, address or number, as it was sent; for a bulk request, only the names that fit in 255 characters are searched',
    example: 'example.com',
  },
  request_id: {
    kind: text(60, { pattern: /^[A-Za-z0-9_-]+$/, rule: 'must be the id of a request' }),
    about: 'Only the request with this id (`X-Request-Id`)',
    example: 'req_4Fh2aBcD01230001zz',
  },
  charged: {
    kind: boolean(),
    about: '`true`: only requests that cost credits; `false`: only free requests',
    example: 'true',
  },
  ...listPages(100),
} as const;

const ANSWER = {
  status: true,
  requests: [
    {
      request_id: 'req_4Fh2aBcD01230001zz',
      at: '2026-11-20T09:30:00.000Z',
      key_id: '019a5f00-0000-7000-8000-000000000005',
      operation: 'whois.live',
      subject: 'example.com',
      status: 200,
      outcome: 'delivered',
      credits: 1,
      duration_ms: 143,
      requests: 1,
    },
  ],
  paging: onePage(1, 100),
} satisfies RequestsAnswer;

const DESCRIPTION =
  'Lists the individual requests behind a usage line of the ledger, including rejected requests. A request appears within a second of its answer. The ledger books it a minute or two later, so a request just before midnight may be booked on the next day.';

export const ACCOUNT_REQUESTS = defineOperation({
  name: 'account.requests',
  summary: 'The individual requests of one or several days',
  description: DESCRIPTION,
  method: 'GET',
  routes: [{ path: '/v2.0/account/requests', version: 2 }],
  access: { kind: 'key', scope: 'account:read', class: 'account' },
  owner: { service: 'gateway', path: '/account/requests' },
  parameters: PARAMETERS,
  answers: [{ type: 'application/json', of: RequestsAnswer }],
  price: { per: 'free' },
  problems: ['search_too_heavy'],
  examples: [
    {
      title: 'One request',
      parameters: { day: '2026-11-20', operation: 'whois.live' },
      answer: ANSWER,
    },
  ],
});

export const REQUESTS = defineOperation({
  ...dashboardCall('gateway', 'GET /api/requests'),
  name: 'requests.list',
  summary: 'The individual requests of one or several days',
  description: DESCRIPTION,
  parameters: PARAMETERS,
  answers: [{ type: 'application/json', of: RequestsAnswer }],
  problems: ['search_too_heavy'],
  examples: [
    {
      title: 'One request',
      parameters: { day: '2026-11-20', operation: 'whois.live' },
      answer: ANSWER,
    },
  ],
});
