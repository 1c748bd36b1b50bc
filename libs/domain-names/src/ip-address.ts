import { isIP, SocketAddress } from 'node:net';
import { refuse, type Refusal } from './refusal.js';
import { withoutSpaces } from './without-spaces.js';

export interface IpAddress {
  /** The address as a dotted quad, or as IPv6 in the short form of RFC 5952. */
  address: string;
  version: 4 | 6;
}

export type ParsedIpAddress = { ok: true; ip: IpAddress } | Refusal<'empty' | 'not_an_ip_address'>;

const MESSAGES = {
  empty: 'An IP address is required.',
  not_an_ip_address: 'This is not an IPv4 or IPv6 address in its ordinary form.',
};

/**
 * Reads an IPv4 or IPv6 address in its ordinary form only: other bases, leading zeros and fewer than four parts mean
 * different addresses to different programs, and a zone (`%eth0`) has no meaning outside one machine.
 */
export function parseIpAddress(input: string): ParsedIpAddress {
  const text = withoutSpaces(input);
  if (text === '') return refuse('empty', MESSAGES);
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return refuse('not_an_ip_address', MESSAGES);
  if (version === 4) return { ok: true, ip: { address: text, version: 4 } };
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return { ok: true, ip: { address, version: 6 } };
}

/** Returns the eight groups of an IPv6 address in any of its text forms. */
export function ipv6Groups(address: string): number[] {
  const hex = address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a, b, c, d) => `${(+a * 256 + +b).toString(16)}:${(+c * 256 + +d).toString(16)}`,
  );
  const [head = '', tail] = hex.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...gap, ...right].map((group) => parseInt(group, 16));
}

/** Returns the name under which an address has its PTR records (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseDnsName({ address, version }: IpAddress): string {
  if (version === 4) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const hex = ipv6Groups(address).map((group) => group.toString(16).padStart(4, '0'));
  return `${[...hex.join('')].reverse().join('.')}.ip6.arpa`;
}
