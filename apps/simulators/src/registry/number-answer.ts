import { createHash } from 'node:crypto';
import { lastAddress, parseAddressBlock, parseAsn, parseCidr } from '#libs/domain-names';
import { card } from './rdap-answer.js';

type Json = Record<string, unknown>;

/** Prefix length of the invented allocation around an address, by version. */
const ALLOCATION = { 4: 16, 6: 32 } as const;
const ASNS_PER_BLOCK = 1_024;
const COUNTRIES = ['US', 'DE', 'GB', 'FR', 'NL', 'JP', 'BR', 'ZA'];

/**
 * Returns the IP network object (RFC 9083 §5.4) that contains an address or block; undefined if the text is neither. An
 * address belongs to an invented allocation; a larger block is its own allocation.
 */
export function networkObject(question: string): Json | undefined {
  const asked = parseAddressBlock(question);
  if (!asked.ok) return undefined;
  const { address, version, prefixLength } = asked.cidr;
  const length = Math.min(prefixLength, ALLOCATION[version]);
  const around = parseCidr(`${address}/${length}`);
  if (!around.ok) return undefined;
  const { cidr } = around;
  const name = `${cidr.address}/${length}`;
  return {
    objectClassName: 'ip network',
    rdapConformance: ['rdap_level_0', 'cidr0'],
    handle: `NET-SIM-${hashOf(name).toString('hex', 0, 4).toUpperCase()}`,
    startAddress: cidr.address,
    endAddress: lastAddress(cidr),
    ipVersion: `v${version}`,
    cidr0_cidrs: [{ [`v${version}prefix`]: cidr.address, length }],
    ...commonOf(name, 'ALLOCATED'),
  };
}

/** Returns the autonomous system object (RFC 9083 §5.5) of a number; undefined for an invalid number. */
export function autnumObject(question: string): Json | undefined {
  const parsed = parseAsn(question);
  if (!parsed.ok) return undefined;
  const startAutnum = parsed.asn - (parsed.asn % ASNS_PER_BLOCK);
  return {
    objectClassName: 'autnum',
    rdapConformance: ['rdap_level_0'],
    handle: `AS${parsed.asn}`,
    startAutnum,
    endAutnum: startAutnum + ASNS_PER_BLOCK - 1,
    ...commonOf(`AS${parsed.asn}`, 'DIRECT ALLOCATION'),
  };
}

function commonOf(name: string, type: string): Json {
  const seed = hashOf(name);
  const label = seed.toString('hex', 0, 3);
  return {
    name: `EXAMPLE-${label.toUpperCase()}`,
    type,
    country: COUNTRIES[seed[4]! % COUNTRIES.length],
    status: ['active'],
    events: [
      { eventAction: 'registration', eventDate: `${2000 + (seed[5]! % 20)}-03-01T00:00:00Z` },
      { eventAction: 'last changed', eventDate: '2025-06-01T00:00:00Z' },
    ],
    entities: [
      entity(['registrant'], `SIM-ORG-${label}`, 'Example Networks', `noc@net-${label}.example`),
      entity(['abuse'], `SIM-ABUSE-${label}`, 'Abuse desk', `abuse@net-${label}.example`),
    ],
    notices: [
      { title: 'Terms of Use', description: ['An invented answer of a registry simulator.'] },
    ],
  };
}

function entity(roles: string[], handle: string, name: string, email: string): Json {
  return {
    objectClassName: 'entity',
    handle,
    roles,
    vcardArray: card(['fn', {}, 'text', name], ['email', {}, 'text', email]),
  };
}

function hashOf(name: string): Buffer {
  return createHash('sha256').update(name).digest();
}
