import { isIP } from 'node:net';
import { DNS_TYPES, type DnsType } from '#libs/resolvers';
import { type Key, termKeyOf } from '../names/domain-key.js';

/** Types whose records are stored, each with its bit in a sighting. */
export const KEPT_TYPES = ['A', 'AAAA', 'NS', 'MX', 'CNAME', 'TXT', 'SOA'] as const;
export type KeptType = (typeof KEPT_TYPES)[number];

const BITS: ReadonlyMap<number, number> = new Map(
  KEPT_TYPES.map((type, place) => [DNS_TYPES[type], 1 << place]),
);
const NAMES: ReadonlyMap<number, KeptType> = new Map(
  KEPT_TYPES.map((type) => [DNS_TYPES[type], type]),
);

/** The number of a stored type; undefined for all others. */
export function keptTypeNumber(type: unknown): number | undefined {
  return (KEPT_TYPES as readonly unknown[]).includes(type) ? DNS_TYPES[type as DnsType] : undefined;
}

/** The name of a stored type, by its number. */
export function keptTypeName(rtype: number): KeptType | undefined {
  return NAMES.get(rtype);
}

/** The bit of a type in a sighting; 0 for a type that is not stored. */
export function bitOf(rtype: number): number {
  return BITS.get(rtype) ?? 0;
}

/** The key by which the host or text of a record is found. Addresses are found directly. */
export function valueKeyOf(rtype: number, value: string): Key {
  return targetKeyOf(rtype, targetOf(rtype, value));
}

/** The key under which records of a type are found by their target. */
export function targetKeyOf(rtype: number, target: string): Key {
  return termKeyOf(`dns ${rtype}`, target);
}

/** The target of a record: its host, without preference or the numbers of a zone. */
export function targetOf(rtype: number, value: string): string {
  if (rtype === DNS_TYPES.MX) return value.slice(value.indexOf(' ') + 1);
  return rtype === DNS_TYPES.SOA ? value.slice(0, value.indexOf(' ')) : value;
}

/** The address of an address record. */
export function addressOf(rtype: number, value: string): string | null {
  const isAddress = rtype === DNS_TYPES.A || rtype === DNS_TYPES.AAAA;
  return isAddress && isIP(value) !== 0 ? value : null;
}
