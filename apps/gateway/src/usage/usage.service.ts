import { Injectable } from '@nestjs/common';
import type { ACCOUNT_USAGE, KeyUsageAnswer, UsageAnswer, ValuesOf } from '#libs/contracts';
import { Clock, DAY_MS, InvalidRequest } from '#libs/platform';
import { UsageRepository } from './usage.repository.js';

/** Which days, both included. */
type UsageQuestion = ValuesOf<(typeof ACCOUNT_USAGE)['parameters']>;

const DAYS_MAX = 366;
const KEY_DAYS_MAX = 31;
const DAYS_DEFAULT = 30;

/** Tells an account what it used, from the request log. */
@Injectable()
export class UsageService {
  constructor(
    private readonly days: UsageRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidRequest for days in the wrong order, or more than 366 of them. */
  async usage(accountId: string, question: UsageQuestion = {}): Promise<UsageAnswer> {
    const now = this.clock.now();
    const { first, last, from, until } = stretchOf(question, now, DAYS_MAX);
    const days = await this.days.listDays(accountId, { from, until, now });
    const totals = { requests: 0, credits: 0 };
    for (const { requests, credits } of days) {
      totals.requests += requests;
      totals.credits += credits;
    }
    return { status: true, from: dayOf(first), to: dayOf(last), totals, days };
  }

  /** From the log itself, which is long: fewer days. @throws InvalidRequest, as `usage`. */
  async usageByKey(accountId: string, question: UsageQuestion = {}): Promise<KeyUsageAnswer> {
    const { first, last, from, until } = stretchOf(question, this.clock.now(), KEY_DAYS_MAX);
    const days = await this.days.listKeyDays(accountId, { from, until });
    return { from: dayOf(first), to: dayOf(last), days };
  }
}

function stretchOf({ from, to }: UsageQuestion, now: Date, daysMax: number) {
  const last = startOf(to ?? dayOf(now.getTime()));
  const first = from === undefined ? last - (DAYS_DEFAULT - 1) * DAY_MS : startOf(from);
  const count = (last - first) / DAY_MS + 1;
  if (count < 1) throw new InvalidRequest([{ field: 'from', message: 'is after "to"' }]);
  if (count > daysMax) {
    const message = `must not be more than ${daysMax} days before "to"`;
    throw new InvalidRequest([{ field: 'from', message }]);
  }
  return { first, last, from: new Date(first), until: new Date(last + DAY_MS) };
}

const startOf = (day: string) => new Date(`${day}T00:00:00Z`).getTime();

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
