import { Injectable } from '@nestjs/common';
import {
  type ACCOUNT_USAGE,
  type KeyUsageAnswer,
  OPERATIONS,
  type PaceAnswer,
  type PaceOfClass,
  type RateClass,
  type UsageAnswer,
  type UsageDay,
  type UsageOverview,
  type ValuesOf,
  type WorkDay,
} from '#libs/contracts';
import { Clock, DAY_MS, InvalidRequest } from '#libs/platform';
import { WITHIN_MS } from '../request-log/hourly-counts.js';
import { Services } from '../services.js';
import { type UsedInMinute, UsageRepository } from './usage.repository.js';

/** The first and the last day of the range. */
type UsageQuestion = ValuesOf<(typeof ACCOUNT_USAGE)['parameters']>;

const DAYS_MAX = 366;
const DAYS_DEFAULT = 30;

/**
 * Shows an account its usage: requests from the request log, and the credits spent on jobs and monitors from
 * entitlement.
 */
@Injectable()
export class UsageService {
  constructor(
    private readonly days: UsageRepository,
    private readonly services: Services,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws InvalidRequest for days in the wrong order, or more than 366 days; ServiceUnavailable without entitlement,
   *   because some of the credits would be missing; the errors of `LogReads.query`.
   */
  async usage(accountId: string, question: UsageQuestion = {}): Promise<UsageAnswer> {
    const now = this.clock.now();
    const { first, last, from, until } = stretchOf(question, now);
    const asked = { from: dayOf(first), to: dayOf(last) };
    const [requests, work] = await Promise.all([
      this.days.listDays(accountId, { from, until, now }),
      this.services.entitlement.usedByWork(accountId, asked),
    ]);
    return { status: true, ...asked, ...withTotals(requests, work) };
  }

  /**
   * Returns the usage of the last 30 days, and the requests of each rate class in the last minute and in the busiest
   * minute of the last hour. @throws ServiceUnavailable without entitlement; the errors of `LogReads.query`.
   */
  async overview(accountId: string): Promise<UsageOverview> {
    const now = this.clock.now();
    const { first, last, from, until } = stretchOf({}, now);
    const asked = { from: dayOf(first), to: dayOf(last) };
    const [{ days, minutes }, work] = await Promise.all([
      this.days.listDaysAndMinutes(accountId, { from, until, now }),
      this.services.entitlement.usedByWork(accountId, asked),
    ]);
    return { usage: { status: true, ...asked, ...withTotals(days, work) }, pace: paceOf(minutes) };
  }

  /**
   * Returns the requests of each key, with response times but without jobs or monitors.
   * @throws InvalidRequest for days in the wrong order, or more than 366 days; the errors of `LogReads.query`.
   */
  async usageByKey(accountId: string, question: UsageQuestion = {}): Promise<KeyUsageAnswer> {
    const now = this.clock.now();
    const { first, last, from, until } = stretchOf(question, now);
    const days = await this.days.listKeyDays(accountId, { from, until, now });
    return { from: dayOf(first), to: dayOf(last), within_ms: [...WITHIN_MS], days };
  }
}

function paceOf(minutes: readonly UsedInMinute[]): PaceAnswer {
  const ofClass = (rateClass: RateClass): PaceOfClass => {
    const own = minutes.filter(({ operation }) => CLASSES.get(operation) === rateClass);
    const sums = Array.from({ length: MINUTES_OF_HOUR }, () => 0);
    for (const { minute, requests } of own) sums[minute] += requests;
    return { last_minute: sums[0], busiest_minute: Math.max(...sums) };
  };
  return { live: ofClass('live'), bulk: ofClass('bulk'), heavy: ofClass('heavy') };
}

/** Adds the credits spent on jobs and monitors to the line of the same day and operation, which may be a new line. */
function withTotals(
  requests: readonly UsageDay[],
  work: readonly WorkDay[],
): Pick<UsageAnswer, 'totals' | 'days'> {
  const nameOf = ({ date, operation }: UsageDay | WorkDay) => `${date} ${operation}`;
  const days = new Map(requests.map((day) => [nameOf(day), day]));
  for (const used of work) {
    const day = days.get(nameOf(used)) ?? { ...used, requests: 0, failed: 0, credits: 0 };
    days.set(nameOf(used), { ...day, credits: day.credits + used.credits });
  }
  const sorted = [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
  const totals = { requests: 0, credits: 0 };
  for (const { requests, credits } of sorted) {
    totals.requests += requests;
    totals.credits += credits;
  }
  return { totals, days: sorted };
}

const MINUTES_OF_HOUR = 60;

const CLASSES = new Map(
  OPERATIONS.flatMap(({ name, access }) =>
    access.kind === 'key' ? [[name, access.class] as const] : [],
  ),
);

function stretchOf({ from, to }: UsageQuestion, now: Date) {
  const last = startOf(to ?? dayOf(now.getTime()));
  const first = from === undefined ? last - (DAYS_DEFAULT - 1) * DAY_MS : startOf(from);
  const count = (last - first) / DAY_MS + 1;
  if (count < 1) throw new InvalidRequest([{ field: 'from', message: 'is after "to"' }]);
  if (count > DAYS_MAX) {
    const message = `must be less than ${DAYS_MAX} days before "to"`;
    throw new InvalidRequest([{ field: 'from', message }]);
  }
  return { first, last, from: new Date(first), until: new Date(last + DAY_MS) };
}

const startOf = (day: string) => new Date(`${day}T00:00:00Z`).getTime();

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
