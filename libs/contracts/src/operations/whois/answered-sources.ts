type Body = Readonly<Record<string, unknown>>;

const ROLES: readonly unknown[] = ['registry', 'registrar'];
const PROTOCOLS: readonly unknown[] = ['rdap', 'whois43'];
const OUTCOMES: readonly unknown[] = ['delivered', 'partial'];

/**
 * Returns the kinds of servers that supplied a registration, such as `registry rdap delivered`, sorted; empty if they
 * are unknown.
 * @param sources the sources in an answer's `provenance`.
 */
export function answeredSources(sources: unknown): string[] {
  if (!Array.isArray(sources)) return [];
  const answered = (sources as (Body | null)[]).flatMap((one) => {
    const { role, protocol, outcome } = one ?? {};
    const isKnown =
      ROLES.includes(role) && PROTOCOLS.includes(protocol) && OUTCOMES.includes(outcome);
    return isKnown ? [`${role} ${protocol} ${outcome}`] : [];
  });
  return [...new Set(answered)].toSorted();
}

const registryOf = (sources: readonly string[]) =>
  sources.find((one) => one.startsWith('registry '));

/** Returns the protocol of the registry's answer; undefined if the registry is not among the sources. */
export function registryProtocol(sources: readonly string[]): string | undefined {
  return registryOf(sources)?.split(' ')[1];
}

const OF_REGISTRAR =
  /_contact(?:\.|$)|^privacy_service$|^domain_registrar\.(?!(?:iana_id|registrar_name)$)/;

/**
 * Whether different values of a path mean that the registration has changed, given the sources of both. RDAP and port
 * 43 write the same registration differently, and a registrar's answer contains more than its registry's. Values from
 * different sources can therefore be compared only for the existence of a name, its name servers, and the data of the
 * same registry server.
 */
export function isComparable(
  path: string,
  before: readonly string[],
  after: readonly string[],
): boolean {
  if (path === 'domain_registered' || before.join() === after.join()) return true;
  if (OF_REGISTRAR.test(path)) return false;
  const [one, other] = [registryOf(before), registryOf(after)];
  if (one !== undefined && one === other) return true;
  return (
    path === 'name_servers' && ![one, other].some((registry) => registry?.endsWith(' partial'))
  );
}
