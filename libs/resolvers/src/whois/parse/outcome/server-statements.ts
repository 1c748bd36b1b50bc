import { matchesAny } from './phrases.js';
import type { Restriction } from './restrictions.js';

/** The statements of one server in its own words, in the notation of `phrases.ts`. */
export type ServerStatements = Readonly<
  Record<Restriction | 'throttled' | 'refused', readonly string[]>
>;

/**
 * Returns the meaning of a line according to the phrases listed for its server; undefined if the line contains none of
 * them.
 */
export function statementFor(
  line: string,
  server: ServerStatements,
): { kind: 'restricted'; restriction: Restriction } | { kind: 'error' } | undefined {
  for (const restriction of ['premium', 'blocked', 'reserved'] as const) {
    if (matchesAny(line, server[restriction])) return { kind: 'restricted', restriction };
  }
  return matchesAny(line, server.refused) ? { kind: 'error' } : undefined;
}
