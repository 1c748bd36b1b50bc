import {
  CHECK_MINUTES,
  CREDITS_A_CHECK,
  type MonitorAnswer,
  type MonitorChecks,
  type MonitorKind,
  type MonitorPrice,
  type MonitorRule,
  checkProblemText,
  creditsADay,
} from '#libs/contracts';
import type { NewsReader } from '../monitor-news/monitor-news.js';

export interface Monitor {
  id: string;
  accountId: string;
  kind: MonitorKind;
  name: string;
  isPaused: boolean;
  isOverLimit: boolean;
  sendsMail: boolean;
  rule: MonitorRule;
  createdAt: Date;
}

/** A monitor, with the results of the checks that were made while the monitor was active. */
export interface ShownMonitor extends Monitor {
  dnsCheckedAt: Date | null;
  whoisCheckedAt: Date | null;
  /** Null for monitors that are not checked: paused ones, those over the limit, and those of brands and registrants. */
  dnsDueAt: Date | null;
  whoisDueAt: Date | null;
  expiresOn: string | null;
  isExpiryPublished: boolean | null;
  dnsProblem: string | null;
  whoisProblem: string | null;
  isShortOfCredits: boolean;
}

export const UNCHECKED = {
  dnsCheckedAt: null,
  whoisCheckedAt: null,
  dnsDueAt: null,
  whoisDueAt: null,
  expiresOn: null,
  isExpiryPublished: null,
  dnsProblem: null,
  whoisProblem: null,
  isShortOfCredits: false,
} as const;

export function monitorAnswer(monitor: ShownMonitor): MonitorAnswer {
  const { id, kind, name, isPaused, isOverLimit, sendsMail, createdAt, rule } = monitor;
  const running = isOverLimit ? 'over_limit' : 'active';
  return {
    status: true,
    id,
    kind,
    name,
    state: isPaused ? 'paused' : running,
    mail: sendsMail,
    created_at: createdAt.toISOString(),
    watches: rule,
    ...(kind === 'domain' && {
      checks: checksOf(monitor),
      ...priceOf(monitor),
    }),
  };
}

function checksOf(monitor: ShownMonitor): MonitorChecks {
  const { dnsCheckedAt, whoisCheckedAt, dnsDueAt, whoisDueAt, dnsProblem, whoisProblem } = monitor;
  return {
    dns_checked_at: dnsCheckedAt?.toISOString() ?? null,
    whois_checked_at: whoisCheckedAt?.toISOString() ?? null,
    dns_due_at: dnsDueAt?.toISOString() ?? null,
    whois_due_at: whoisDueAt?.toISOString() ?? null,
    expiry_date: monitor.expiresOn,
    expiry_published: monitor.isExpiryPublished,
    dns_problem: dnsProblem,
    dns_problem_detail: dnsProblem && checkProblemText(dnsProblem),
    problem: whoisProblem,
    problem_detail: whoisProblem && checkProblemText(whoisProblem),
  };
}

function priceOf({ rule, isShortOfCredits }: ShownMonitor): { price?: MonitorPrice } {
  const { interval_minutes: minutes = CHECK_MINUTES } = rule;
  if (minutes === CHECK_MINUTES) return {};
  return {
    price: {
      credits_per_check: CREDITS_A_CHECK,
      credits_per_day_max: creditsADay(minutes),
      is_short_of_credits: isShortOfCredits,
    },
  };
}

/** Returns the part of a monitor that its events contain. */
export const readerOf = ({ id, accountId, kind, name, sendsMail }: Monitor): NewsReader => ({
  monitorId: id,
  accountId,
  kind,
  name,
  sendsMail,
});

/** Returns the domain name that a monitor watches, in a list; an empty list for a monitor of another kind. */
export const domainsOf = ({ rule }: Monitor) =>
  rule.domain_name === undefined ? [] : [rule.domain_name];
