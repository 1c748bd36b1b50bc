import { type Cidr, parseCidr, parseIpAddress } from '#libs/domain-names';
import { searchPattern } from '../searches/search-pattern.js';

const PREFIX_MIN = { 4: 8, 6: 16 } as const;

export interface TextsSought {
  /** LIKE patterns; a text must match one of them. */
  patterns: readonly string[];
  /** A regular expression that a text must also match, because `192.0.2.10` contains `192.0.2.1`. */
  bounded: string | null;
}

/**
 * Returns how to search texts for a value: texts that contain the value and, for an address, texts with an SPF range
 * that contains the address (RFC 7208 §5.6). Ranges shorter than `PREFIX_MIN` are not searched for, nor IPv6 ranges
 * whose length is no multiple of 4.
 * @throws InvalidRequest for a text that would match too much.
 */
export function textsSought(value: string): TextsSought {
  const parsed = parseIpAddress(value);
  if (!parsed.ok) return { patterns: [searchPattern('value', value).exact], bounded: null };
  const { address, version } = parsed.ip;
  const bits = version === 4 ? 32 : 128;
  const ranges: string[] = [];
  for (let length = bits; length >= PREFIX_MIN[version]; length -= version === 4 ? 1 : 4) {
    const block = parseCidr(`${address}/${length}`);
    if (block.ok) ranges.push(`ip${version}:${textOf(block.cidr)}`);
  }
  const [before, behind] = version === 4 ? ['[0-9.]', '[0-9]'] : ['[0-9a-f]', '[0-9a-f:]'];
  const texts = [address, ...ranges];
  const either = texts.map((text) => text.replaceAll('.', String.raw`\.`)).join('|');
  return {
    patterns: texts.map((text) => `%${text}%`),
    bounded: `(?<!${before})(?:${either})(?!${behind})`,
  };
}

const textOf = ({ address, prefixLength }: Cidr) => `${address}/${prefixLength}`;
