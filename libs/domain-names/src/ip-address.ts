import { isIP, SocketAddress } from 'node:net';
import { refuse, type Refusal } from './refusal.js';

export interface IpAddress {
  /** Dotted quad, or IPv6 in the short form of RFC 5952. */
  address: string;
  version: 4 | 6;
}

export type ParsedIpAddress = { ok: true; ip: IpAddress } | Refusal<'empty' | 'not_an_ip_address'>;

const messages = {
  empty: 'An IP address is needed.',
  not_an_ip_address: 'This is not an IPv4 or IPv6 address in its ordinary form.',
};

/**
 * Reads an IPv4 or IPv6 address. Only the ordinary forms: numbers in other bases, with leading
 * zeros or fewer than four parts mean different addresses to different programs, and a zone
 * (`%eth0`) means nothing outside one machine.
 */
export function parseIpAddress(input: string): ParsedIpAddress {
  const text = input.replace(/^ +| +$/g, '');
  if (text === '') return refuse('empty', messages);
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return refuse('not_an_ip_address', messages);
  if (version === 4) return { ok: true, ip: { address: text, version: 4 } };
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return { ok: true, ip: { address, version: 6 } };
}
