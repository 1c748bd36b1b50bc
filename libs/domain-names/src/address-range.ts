import { SocketAddress } from 'node:net';
import type { Cidr } from './cidr.js';
import { type IpAddress, ipv6Groups, parseIpAddress } from './ip-address.js';

const WIDTH = { 4: 32, 6: 128 } as const;

export function lastAddress(cidr: Cidr): string {
  const size = 1n << BigInt(WIDTH[cidr.version] - cidr.prefixLength);
  return addressOf(numberOf(cidr) + size - 1n, cidr.version);
}

/** Returns the last of several consecutive addresses. @param first the first address, whose prefix does not matter. */
export function lastAddressOf(first: IpAddress, count: number): string {
  return addressOf(numberOf(first) + BigInt(count) - 1n, first.version);
}

/**
 * Returns the blocks that make up a range, in order; empty if `start` and `end` do not form a range. @param start the
 * first address; `end` is the last address, of the same version.
 */
export function blocksOfRange(start: string, end: string): string[] {
  const [first, last] = [parseIpAddress(start), parseIpAddress(end)];
  if (!first.ok || !last.ok || first.ip.version !== last.ip.version) return [];
  const { version } = first.ip;
  const blocks: string[] = [];
  let at = numberOf(first.ip);
  const until = numberOf(last.ip);
  while (at <= until) {
    let bits = 0;
    while (
      bits < WIDTH[version] &&
      isAligned(at, bits + 1) &&
      at + (1n << BigInt(bits + 1)) - 1n <= until
    ) {
      bits++;
    }
    blocks.push(`${addressOf(at, version)}/${WIDTH[version] - bits}`);
    at += 1n << BigInt(bits);
  }
  return blocks;
}

function isAligned(address: bigint, bits: number): boolean {
  return (address & ((1n << BigInt(bits)) - 1n)) === 0n;
}

function numberOf({ address, version }: IpAddress): bigint {
  const [groups, width] =
    version === 4 ? [address.split('.').map(Number), 8n] : [ipv6Groups(address), 16n];
  return groups.reduce((sum, group) => (sum << width) | BigInt(group), 0n);
}

function addressOf(number: bigint, version: 4 | 6): string {
  if (version === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.');
  }
  const groups = Array.from({ length: 8 }, (_, i) => (number >> BigInt(16 * (7 - i))) & 0xffffn);
  const address = groups.map((group) => group.toString(16)).join(':');
  return new SocketAddress({ address, family: 'ipv6' }).address;
}
