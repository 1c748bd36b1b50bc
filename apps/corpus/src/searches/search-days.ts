import { InvalidRequest } from '#libs/platform';

export interface SearchDays {
  /** `YYYY-MM-DD`, in UTC. */
  after?: string;
  before?: string;
}

/**
 * Returns the bounds in PostgreSQL's format: from the first moment of `after` to just before the first moment of
 * `before`.
 * @throws InvalidRequest for days in the wrong order, which would match nothing.
 */
export function dayBounds({ after, before }: SearchDays): [from: string, to: string] {
  if (after !== undefined && before !== undefined && after > before) {
    throw new InvalidRequest([{ field: 'before', message: 'must not be earlier than "after"' }]);
  }
  return [after ? `${after}T00:00:00Z` : '-infinity', before ? `${before}T00:00:00Z` : 'infinity'];
}
