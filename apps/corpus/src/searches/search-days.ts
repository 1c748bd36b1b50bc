/** The stretch of time that a search is about. */
export interface SearchDays {
  /** `YYYY-MM-DD`, in UTC. */
  after?: string;
  before?: string;
}

/** As PostgreSQL compares them: from the first moment of `after` up to, and without, that of `before`. */
export function dayBounds({ after, before }: SearchDays): [from: string, to: string] {
  return [after ? `${after}T00:00:00Z` : '-infinity', before ? `${before}T00:00:00Z` : 'infinity'];
}
