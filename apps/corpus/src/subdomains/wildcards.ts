import type { WildcardZone } from '#libs/contracts';

export function wildcardsOf(
  name: string,
  records: readonly { host: string; address: string }[],
): WildcardZone[] {
  const byHost = Map.groupBy(records, ({ host }) => host);
  return [...byHost].map(([host, own]) => ({
    name: `${host}.${name}`,
    addresses: own.map(({ address }) => address),
  }));
}

/** Returns the zone whose wildcard applies to a host, if any: the nearest zone above the host (RFC 4592). */
export function zoneOf(host: string, wildcards: readonly WildcardZone[]): WildcardZone | undefined {
  return wildcards
    .filter(({ name }) => host.endsWith(name.slice(1)))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}
