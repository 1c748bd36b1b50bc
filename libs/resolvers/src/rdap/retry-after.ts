/**
 * Seconds of a `Retry-After` field (RFC 9110 §10.2.3): a number, or a date, which is read against
 * the server's own `Date` so that clocks that disagree do no harm. Undefined for anything else.
 */
export function retryAfterSeconds(
  retryAfter: string | undefined,
  date: string | undefined,
): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const seconds = Math.ceil((Date.parse(retryAfter) - Date.parse(date ?? '')) / 1000);
  return seconds >= 0 ? seconds : undefined;
}
