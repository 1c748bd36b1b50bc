import { SocketAddress } from 'node:net';
import { ipv6Groups, parseIpAddress, type IpAddress } from './ip-address.js';
import { refuse, type Refusal } from './refusal.js';

/** A block of addresses. `address` is the first address. */
export interface Cidr extends IpAddress {
  prefixLength: number;
}

export type ParsedCidr = { ok: true; cidr: Cidr } | Refusal<'empty' | 'not_a_cidr' | 'bad_prefix'>;

const MESSAGES = {
  empty: 'An address block is required.',
  not_a_cidr: 'This is not an address block such as 192.0.2.0/24 or 2001:db8::/32.',
  bad_prefix: 'The prefix length does not fit the address.',
};

/** Reads `address/prefix-length` (RFC 4632 §3.1, RFC 4291 §2.3); bits after the prefix are dropped. */
export function parseCidr(input: string): ParsedCidr {
  const parts = /^ *([^/ ]+)\/([^/ ]*) *$/.exec(input);
  if (parts === null) return refuse(input.trim() === '' ? 'empty' : 'not_a_cidr', MESSAGES);
  const parsed = parseIpAddress(parts[1] ?? '');
  if (!parsed.ok) return refuse('not_a_cidr', MESSAGES);
  const prefix = parts[2] ?? '';
  const prefixLength = Number(prefix);
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix) || prefixLength > bitsOf(parsed.ip)) {
    return refuse('bad_prefix', MESSAGES);
  }
  const address = firstAddress(parsed.ip, prefixLength);
  return { ok: true, cidr: { address, version: parsed.ip.version, prefixLength } };
}

function bitsOf(ip: IpAddress): 32 | 128 {
  return ip.version === 4 ? 32 : 128;
}

function firstAddress(ip: IpAddress, prefixLength: number): string {
  const groups = ip.version === 4 ? ip.address.split('.').map(Number) : ipv6Groups(ip.address);
  const width = ip.version === 4 ? 8 : 16;
  const masked = groups.map((group, index) => {
    const keep = Math.min(Math.max(prefixLength - index * width, 0), width);
    return group & ~(2 ** (width - keep) - 1);
  });
  if (ip.version === 4) return masked.join('.');
  const address = masked.map((group) => group.toString(16)).join(':');
  return new SocketAddress({ address, family: 'ipv6' }).address;
}
