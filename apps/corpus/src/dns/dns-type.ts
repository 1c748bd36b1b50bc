import { isIP } from 'node:net';
import { DNS_TYPES, type DnsType } from '#libs/resolvers';
import { type Key, termKeyOf } from '../names/domain-key.js';

/** The types whose records are stored. Each has a bit in a sighting. */
export const KEPT_TYPES = ['A', 'AAAA', 'NS', 'MX', 'CNAME', 'TXT', 'SOA'] as const;
export type KeptType = (typeof KEPT_TYPES)[number];

const BITS: ReadonlyMap<number, number> = new Map(
  KEPT_TYPES.map((type, place) => [DNS_TYPES[type], 1 << place]),
);
const NAMES: ReadonlyMap<number, KeptType> = new Map(
  KEPT_TYPES.map((type) => [DNS_TYPES[type], type]),
);

/** Returns the number of a stored type; undefined for all other types. */
export function keptTypeNumber(type: unknown): number | undefined {
  return (KEPT_TYPES as readonly unknown[]).includes(type) ? DNS_TYPES[type as DnsType] : undefined;
}

/** Returns the name of a type by its number; undefined for a type that is not stored. */
export function keptTypeName(rtype: number): KeptType | undefined {
  return NAMES.get(rtype);
}

/** Returns the bit of a type in a sighting; 0 for a type that is not stored. */
export function bitOf(rtype: number): number {
  return BITS.get(rtype) ?? 0;
}

/** Returns the key of a record's value without its numbers; see `targetOf`. */
export function valueKeyOf(rtype: number, value: string): Key {
  return targetKeyOf(rtype, targetOf(rtype, value));
}

export function targetKeyOf(rtype: number, target: string): Key {
  return termKeyOf(`dns ${rtype}`, target);
}

/**
 * Returns the host in a record, without the preference in an MX record or the numbers in an SOA record; for types
 * without a host, the whole value.
 */
export function targetOf(rtype: number, value: string): string {
  if (rtype === DNS_TYPES.MX) return value.slice(value.indexOf(' ') + 1);
  return rtype === DNS_TYPES.SOA ? value.slice(0, value.indexOf(' ')) : value;
}

/**
 * Returns the address in an address record; null for other types and for text that is not an
 * address.
 */
export function addressOf(rtype: number, value: string): string | null {
  const isAddress = rtype === DNS_TYPES.A || rtype === DNS_TYPES.AAAA;
  return isAddress && isIP(value) !== 0 ? value : null;
}
