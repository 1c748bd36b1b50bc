import { matchesAny } from './phrases.js';
import type { Restriction } from './restrictions.js';

/** What one server says in words of its own, as phrases of `phrases.ts`. */
export type ServerStatements = Readonly<
  Record<Restriction | 'throttled' | 'refused', readonly string[]>
>;

/** What a line says by the phrases listed for its server; undefined when none of them stands in it. */
export function statementFor(
  line: string,
  server: ServerStatements,
): { kind: 'restricted'; restriction: Restriction } | { kind: 'error' } | undefined {
  for (const restriction of ['premium', 'blocked', 'reserved'] as const) {
    if (matchesAny(line, server[restriction])) return { kind: 'restricted', restriction };
  }
  return matchesAny(line, server.refused) ? { kind: 'error' } : undefined;
}
