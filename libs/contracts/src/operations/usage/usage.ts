import { IsBoolean, IsInt, IsString } from 'class-validator';
import { Nested, NestedList } from '../../members.js';
import { day } from '../kinds.js';
import { defineOperation } from '../operation.js';

/** Background work, which is charged while it runs rather than with the request that started it. */
export const WORK_OPERATIONS = ['jobs.whois', 'jobs.dns', 'monitors.checks'] as const;
export type WorkOperation = (typeof WORK_OPERATIONS)[number];

/** Credits for background work on one day (`YYYY-MM-DD`, UTC). */
export interface WorkDay {
  date: string;
  operation: WorkOperation;
  credits: number;
}

/** Requests and credits of one operation on one day. */
export class UsageDay {
  /** `YYYY-MM-DD`, UTC. */
  @IsString()
  date: string;

  @IsString()
  operation: string;

  /** Includes rejected requests. */
  @IsInt()
  requests: number;

  /** Rejected or failed requests (400 and above). */
  @IsInt()
  failed: number;

  @IsInt()
  credits: number;
}

export interface KeyUsageDay extends Omit<UsageDay, 'operation'> {
  /** The account's own id, for requests made on the dashboard. */
  key_id: string;
  /** Number of answers (below 400) in each interval of `within_ms`; the last entry counts answers that took longer. */
  within: number[];
}

/** The requests of each key on each day, ordered by day and then by key. */
export interface KeyUsageAnswer {
  from: string;
  to: string;
  /** The upper bounds of the intervals in milliseconds, ascending. */
  within_ms: number[];
  days: KeyUsageDay[];
}

export interface PaceOfClass {
  last_minute: number;
  /** The requests in the busiest minute of the last hour. */
  busiest_minute: number;
}

export type PaceAnswer = Record<'live' | 'bulk' | 'heavy', PaceOfClass>;

export class UsageTotals {
  @IsInt()
  requests: number;

  @IsInt()
  credits: number;
}

/** The requests of an account and their cost. */
export class UsageAnswer {
  @IsBoolean()
  status: boolean;

  @IsString()
  from: string;

  @IsString()
  to: string;

  @Nested(() => UsageTotals)
  totals: UsageTotals;

  /** By day, then by operation; days without a request or a charge are left out. */
  @NestedList(() => UsageDay)
  days: UsageDay[];
}

/**
 * What the dashboard's overview shows: the usage of the last 30 days, and the requests in the last minute and in the
 * busiest minute of the last hour.
 */
export interface UsageOverview {
  usage: UsageAnswer;
  pace: PaceAnswer;
}

export const ACCOUNT_USAGE = defineOperation({
  name: 'account.usage',
  summary: 'Requests and credits of your account, by day and operation',
  description:
    'Covers all keys of the account, test keys included. Days are UTC days, at most 366 per request. A request is counted within a second of its answer. Jobs and checks of monitors are charged while they run: their credits are in the lines `jobs.whois`, `jobs.dns` and `monitors.checks` of the day on which they were charged.',
  method: 'GET',
  routes: [{ path: '/v2.0/account/usage', version: 2 }],
  access: { kind: 'key', scope: 'account:read', class: 'account' },
  owner: { service: 'gateway', path: '/account/usage' },
  parameters: {
    from: {
      kind: day(),
      about: 'First day; defaults to 29 days before the last one',
      example: '2026-11-01',
    },
    to: { kind: day(), about: 'Last day; defaults to today', example: '2026-11-20' },
  },
  answers: [{ type: 'application/json', of: UsageAnswer }],
  price: { per: 'free' },
  problems: ['search_too_heavy'],
  examples: [
    {
      title: 'Two days',
      parameters: { from: '2026-11-19', to: '2026-11-20' },
      answer: {
        status: true,
        from: '2026-11-19',
        to: '2026-11-20',
        totals: { requests: 143, credits: 120 },
        days: [
          { date: '2026-11-20', operation: 'whois.live', requests: 143, failed: 3, credits: 120 },
        ],
      },
    },
  ],
});
