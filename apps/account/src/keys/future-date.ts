import { type Clock, InvalidRequest } from '#libs/platform';

/**
 * Reads the expiry in a request: null for no expiry, undefined if the request does not contain one.
 * @throws InvalidRequest for a date that is not in the future.
 */
export function futureDate(
  text: string | null | undefined,
  clock: Pick<Clock, 'now'>,
): Date | null | undefined {
  if (text === null || text === undefined) return text;
  const date = new Date(text);
  if (date > clock.now()) return date;
  throw new InvalidRequest([{ field: 'expires_at', message: 'must be in the future' }]);
}
