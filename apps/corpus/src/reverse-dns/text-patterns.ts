import { type Cidr, parseCidr, parseIpAddress } from '#libs/domain-names';
import { searchPattern } from '../searches/search-pattern.js';

const PREFIX_MIN = { 4: 8, 6: 16 } as const;

/**
 * Patterns of the texts that match a search for a value: those that contain it and, for an address, those whose SPF
 * ranges contain it (RFC 7208 §5.6).
 * @throws InvalidRequest for a text that would find too much.
 */
export function textPatterns(value: string): string[] {
  const parsed = parseIpAddress(value);
  if (!parsed.ok) return [searchPattern('value', value).exact];
  const { address, version } = parsed.ip;
  const bits = version === 4 ? 32 : 128;
  const ranges: string[] = [];
  for (let length = bits; length >= PREFIX_MIN[version]; length -= version === 4 ? 1 : 4) {
    const block = parseCidr(`${address}/${length}`);
    if (block.ok) ranges.push(`%ip${version}:${textOf(block.cidr)}%`);
  }
  return [`%${address}%`, ...ranges];
}

const textOf = ({ address, prefixLength }: Cidr) => `${address}/${prefixLength}`;
