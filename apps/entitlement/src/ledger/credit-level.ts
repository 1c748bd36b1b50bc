import { TIERS } from '#libs/contracts';
import type { Book } from './book.js';

/** The percentages of the last grant at which the customer is notified. */
export type LowThreshold = 20 | 0;

/**
 * Returns the threshold, in percent of the last grant, that an account has reached since that grant
 * and has not been notified about; undefined if there is none. Reserved credits count as remaining.
 * A frozen account gets no notification.
 */
export function newLowThreshold(book: Book): LowThreshold | undefined {
  const { account } = book;
  if (account.state !== 'active' || account.lastGranted === 0) return undefined;
  if (hasPlenty(book)) return undefined;
  const threshold = remainingOf(book) === 0 ? 0 : 20;
  return threshold < (account.lowThreshold ?? Infinity) ? threshold : undefined;
}

/** True if more credits are left than the highest threshold. */
export function hasPlenty(book: Book): boolean {
  return remainingOf(book) > lowLevelOf(book);
}

/** Returns the highest threshold in credits: a fifth of the last grant. */
export function lowLevelOf({ account }: Book): number {
  return Math.floor(account.lastGranted / 5);
}

/** Returns the credits that are not booked as used: spendable ones, and those reserved by open leases and holds. */
export function remainingOf(book: Book): number {
  return book.spendable + book.reserved;
}

/** Returns the name of the highest tier among packages with available or reserved credits, if there are any. */
export function packageTierOf(book: Book): string | undefined {
  const packages = book.all.filter(
    (grant) => grant.sourceType === 'package' && grant.available + grant.reserved > 0,
  );
  return TIERS.findLast(({ name }) => packages.some(({ tier }) => tier === name))?.name;
}
