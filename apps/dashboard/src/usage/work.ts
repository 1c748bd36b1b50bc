import { WORK_OPERATIONS, type UsageDay, type WorkOperation } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { requestsPath } from '../requests/requests-page.js';
import type { UsedOnDay } from './usage-series.js';

interface Work {
  name: string;
  path: string;
}

const JOBS: Work = { name: 'Bulk jobs', path: '/jobs' };

/** Work that is charged while it runs, so that no request shows its credits. */
const WORK: Readonly<Record<WorkOperation, Work>> = {
  'jobs.whois': JOBS,
  'jobs.dns': JOBS,
  'monitors.checks': { name: 'Monitors', path: '/monitors' },
};

const workOf = (operation: string): Work | undefined =>
  WORK_OPERATIONS.includes(operation as WorkOperation)
    ? WORK[operation as WorkOperation]
    : undefined;

/**
 * Returns the name of an operation as a link to its requests of that day, or to the jobs or monitors that used credits.
 */
export function operationLink(day: string, operation: string, credits: number): Markup {
  const path = credits === 0 ? undefined : workOf(operation)?.path;
  return html`<a href="${path ?? requestsPath({ day, operation })}">${operation}</a>`;
}

/**
 * Returns the credits spent on jobs and monitors, which belong to no key and are therefore listed by the kind of work.
 */
export function workOnDays(days: readonly UsageDay[]): UsedOnDay[] {
  const sums = new Map<string, UsedOnDay>();
  for (const { date, operation, credits } of days) {
    const name = workOf(operation)?.name;
    if (name === undefined || credits === 0) continue;
    const sum = sums.get(`${date} ${name}`)?.credits ?? 0;
    sums.set(`${date} ${name}`, { date, name, requests: 0, failed: 0, credits: sum + credits });
  }
  return [...sums.values()];
}
