import { CHOSEN_LIMITS, DEFAULT_LIMIT, PUBLISHED_LIMITS } from '#libs/resolvers';
import { NOBODY } from './read-name.js';

export interface NameGroup {
  tld: string;
  upstream: string;
  names: number;
}

/** The name under which the smallest top-level domains of an upstream are counted if there are too many. */
export const OTHER_TLDS = '';

/** Maximum number of names per second that an installation looks up, whichever upstream answers. */
const WHOIS_PER_SECOND = 2_500;
const DNS_PER_SECOND = 5_000;

export interface TldEstimate {
  tld: string;
  names: number;
  seconds: number;
}

/**
 * Estimates how long the names of each top-level domain take. All names share the rate of the installation; for WHOIS,
 * names with the same upstream also share its known rate, and names without a known upstream wait for no others.
 * @returns the top-level domains, those with the most names first.
 */
export function estimatesOf(groups: readonly NameGroup[], kind: 'whois' | 'dns'): TldEstimate[] {
  const all = groups.reduce((sum, { names }) => sum + names, 0);
  const byUpstream = new Map<string, number>();
  for (const { upstream, names } of groups) {
    byUpstream.set(upstream, (byUpstream.get(upstream) ?? 0) + names);
  }
  const whole = all / (kind === 'dns' ? DNS_PER_SECOND : WHOIS_PER_SECOND);
  const tlds = new Map<string, TldEstimate>();
  for (const { tld, upstream, names } of groups) {
    const known = tlds.get(tld);
    const hasWait = kind === 'whois' && upstream !== NOBODY;
    const waits = hasWait ? byUpstream.get(upstream)! / paceOf(upstream) : 0;
    const seconds = Math.ceil(Math.max(whole, waits, known?.seconds ?? 0));
    tlds.set(tld, { tld, names: names + (known?.names ?? 0), seconds });
  }
  return [...tlds.values()].sort((one, other) => other.names - one.names);
}

/** Returns the number of names whose registration has no known upstream. DNS works for all names. */
export function unsupportedOf(groups: readonly NameGroup[], kind: 'whois' | 'dns'): number {
  if (kind === 'dns') return 0;
  const unsupported = groups.filter(({ upstream }) => upstream === NOBODY);
  return unsupported.reduce((sum, { names }) => sum + names, 0);
}

let chosenPace: number | undefined;

/**
 * Sets the queries per second to upstreams without a published limit, as in lookup's settings; called once, at the
 * start. Without it, the limits are those that lookup has by default.
 */
export function usePace(perSecond: number | undefined): void {
  chosenPace = perSecond;
}

/** Returns how many queries per second an upstream may get in the long run. */
function paceOf(upstream: string): number {
  const published = PUBLISHED_LIMITS.get(upstream);
  if (!published && chosenPace !== undefined) return chosenPace;
  const limit = published ?? CHOSEN_LIMITS.get(upstream) ?? DEFAULT_LIMIT;
  return Math.min(...limit.buckets.map(({ perSecond }) => perSecond));
}
