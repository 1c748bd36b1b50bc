import { servicesOf } from './derivation.js';
import type { RegistryTables } from './registries.js';

/**
 * Lists the changes for an operator who is about to accept new tables, with a line for each top-level domain or service
 * that changed.
 */
export function registryChanges(before: RegistryTables, after: RegistryTables): string[] {
  const [old, now] = [new Set(before.tlds), new Set(after.tlds)];
  const added = after.tlds.filter((tld) => !old.has(tld)).map((tld) => `+ .${tld}`);
  const gone = before.tlds.filter((tld) => !now.has(tld)).map((tld) => `- .${tld}`);
  return [
    ...added,
    ...gone,
    ...serviceChanges('rdap', before.rdap, after.rdap),
    ...serviceChanges('whois43', before.whois, after.whois),
  ];
}

function serviceChanges(
  protocol: string,
  before: RegistryTables['rdap'],
  after: RegistryTables['rdap'],
): string[] {
  const [old, now] = [servicesOf(before), servicesOf(after)];
  const suffixes = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  return suffixes.flatMap((suffix) => {
    const [was, is] = [old.get(suffix), now.get(suffix)];
    if (was === is) return [];
    if (was === undefined) return `+ .${suffix} ${protocol} ${is}`;
    if (is === undefined) return `- .${suffix} ${protocol} ${was}`;
    return `~ .${suffix} ${protocol} ${was} -> ${is}`;
  });
}
