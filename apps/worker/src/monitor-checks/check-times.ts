import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';

export type CheckKind = 'dns' | 'whois';

/** The interval between two checks of a name for which no change is expected. */
export const EVERY_MS = { dns: 6 * HOUR_MS, whois: DAY_MS } as const;
/**
 * From this time before an expiry until `LONG_EXPIRED_MS` after it, a registration is checked more
 * often.
 */
const NEAR_EXPIRY_MS = 7 * DAY_MS;
const NEAR_EXPIRY_EVERY_MS = 6 * HOUR_MS;
const LONG_EXPIRED_MS = 90 * DAY_MS;
/** After this time, a check is repeated to confirm a difference. */
const RECHECK_MS = 10 * MINUTE_MS;
/** After this time, a check is repeated after a failure. */
export const RETRY_MS = 30 * MINUTE_MS;
/** After this time, other processes take over the names of a process that has died. */
export const LEASE_MS = 5 * MINUTE_MS;

/** The numbers of days before the expiry date at which reminders are sent. */
export const REMINDER_DAYS = [30, 7, 1] as const;

/**
 * Whether a check that is put off should say why: a short wait is usual, but a registry that allows few queries may let
 * names wait for days. @param checkedAt the last answer; null before the first one.
 */
export const isOverdue = (kind: CheckKind, checkedAt: Date | null, now: Date): boolean =>
  checkedAt === null || now.getTime() - checkedAt.getTime() > 2 * EVERY_MS[kind];

export const retryAt = (now: Date) => new Date(now.getTime() + RETRY_MS);
export const laterAt = (now: Date, seconds: number) =>
  new Date(now.getTime() + seconds * SECOND_MS);

/**
 * Returns when a name is checked next: after `RECHECK_MS` if wanted, otherwise after the interval, which is shorter for
 * a registration near its expiry. @param expiresOn `YYYY-MM-DD`.
 */
export function nextCheckAt(
  kind: CheckKind,
  { isRecheckWanted, expiresOn }: { isRecheckWanted: boolean; expiresOn: string | null },
  now: Date,
): Date {
  if (isRecheckWanted) return new Date(now.getTime() + RECHECK_MS);
  const isNear = kind === 'whois' && expiresOn !== null && isNearExpiry(expiresOn, now);
  return new Date(now.getTime() + (isNear ? NEAR_EXPIRY_EVERY_MS : EVERY_MS[kind]));
}

function isNearExpiry(expiresOn: string, now: Date): boolean {
  const leftMs = Date.parse(expiresOn) - now.getTime();
  return leftMs < NEAR_EXPIRY_MS && leftMs > -LONG_EXPIRED_MS;
}

/**
 * Whether a string is a real day in the form `YYYY-MM-DD`. Registries also publish dates such as 30 February.
 * PostgreSQL has no year 0.
 */
export function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString() === `${text}T00:00:00.000Z`;
  return isReal && at.getUTCFullYear() > 0;
}

/** Returns the days until a day begins, rounded up. */
export function daysUntil(day: string, now: Date): number {
  return Math.ceil((Date.parse(day) - now.getTime()) / DAY_MS);
}

/**
 * Returns the due reminder: the smallest number of days that has been reached, unless that reminder has been sent.
 * @returns undefined if no reminder is due.
 */
export function reminderOf(
  { expiresOn, remindedDays }: { expiresOn: string; remindedDays: number | null },
  now: Date,
): number | undefined {
  const left = daysUntil(expiresOn, now);
  if (left < 0) return undefined;
  const reached = REMINDER_DAYS.filter((days) => left <= days).at(-1);
  if (reached === undefined) return undefined;
  return remindedDays === null || reached < remindedDays ? reached : undefined;
}
