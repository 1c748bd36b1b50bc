import { type Cidr, parseCidr, parseIpAddress } from '#libs/domain-names';
import { searchPattern } from '../searches/search-pattern.js';

const PREFIX_MIN = { 4: 8, 6: 16 } as const;

/** How texts are searched. */
export interface TextsSought {
  /** LIKE patterns, of which one matches. */
  patterns: readonly string[];
  /** A regular expression that a text must match as well: `192.0.2.1` is not in `192.0.2.10`. */
  bounded: string | null;
}

/**
 * The texts that match a search for a value: those that contain it and, for an address, those whose SPF ranges contain it
 * (RFC 7208 §5.6).
 * @throws InvalidRequest for a text that would find too much.
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
