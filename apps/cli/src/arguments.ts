import { InvalidArgumentError } from 'commander';
import { SystemClock, isId } from '#libs/platform';

/** These functions parse operators' arguments, and report mistakes before any service is called. */

/**
 * Parses a whole number of at most 13 digits.
 * @throws InvalidArgumentError.
 */
export function wholeNumber(text: string): number {
  if (!/^\d{1,13}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function id(text: string): string {
  if (!isId(text)) throw new InvalidArgumentError('It must be an id of this product, a UUID.');
  return text;
}

/**
 * Parses an amount of money, such as 12.50.
 * @returns millionths, as a decimal string.
 * @throws InvalidArgumentError, including for 0 and for more than 9,999,999.99.
 */
export function amountMicros(text: string): string {
  const [, whole, cents = ''] = /^(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === undefined || Number(text) === 0) {
    throw new InvalidArgumentError('It must be an amount such as 12.50.');
  }
  return `${BigInt(whole + cents.padEnd(2, '0'))}0000`;
}

const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Parses a time with a zone, in RFC 3339.
 * @returns the time in UTC, the only form that services accept.
 * @throws InvalidArgumentError if it has another format, or a day that does not exist.
 */
export function instant(text: string): string {
  const [, day = ''] = INSTANT.exec(text) ?? [];
  const at = new Date(day === '' ? Number.NaN : text);
  // `Date` would turn a day that the month does not have into a day of the next month.
  if (Number.isNaN(at.getTime()) || !new Date(day).toISOString().startsWith(day)) {
    throw new InvalidArgumentError('It must be a time such as 2027-01-31T12:00:00Z.');
  }
  return at.toISOString().replace('.000Z', 'Z');
}

/**
 * Returns a time as `instant` does.
 * @throws InvalidArgumentError also if the time is not in the future.
 */
export function laterInstant(text: string): string {
  const at = instant(text);
  if (new Date(at) <= new SystemClock().now()) throw new InvalidArgumentError('It is in the past.');
  return at;
}
