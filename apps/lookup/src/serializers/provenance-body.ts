import type { Source } from '#libs/contracts';
import type { NetworkSource, SourceAnswer } from '#libs/resolvers';
import { type Json, present } from './whois-body.js';

/** How an answer is served: from which source, and how old the data is. */
export interface Serving {
  servedFrom: Source;
  ageSeconds: number;
}

/** Returns the queried sources, the time, and how the answer was served. */
export function provenanceBody(
  { sources, fetchedAt }: { sources: readonly (SourceAnswer | NetworkSource)[]; fetchedAt: Date },
  { servedFrom, ageSeconds }: Serving,
): Json {
  return {
    served_from: servedFrom,
    fetched_at: fetchedAt.toISOString(),
    age_s: ageSeconds,
    sources: sources.map(sourceBody),
  };
}

function sourceBody(source: SourceAnswer | NetworkSource): Json {
  return present({
    id: source.id,
    protocol: source.protocol,
    role: 'role' in source ? source.role : undefined,
    server: source.server,
    outcome: source.outcome,
    http_status: source.httpStatus,
    latency_ms: Math.round(source.latencyMs),
    fetched_at: source.fetchedAt.toISOString(),
    truncated: ('truncated' in source && source.truncated) || undefined,
    error: source.error,
  });
}
