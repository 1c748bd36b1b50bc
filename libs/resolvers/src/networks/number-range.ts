import { ipv6Groups, parseIpAddress } from '#libs/domain-names';

/** Consecutive addresses of one version, or consecutive AS numbers. */
export interface NumberRange {
  kind: 4 | 6 | 'asn';
  first: bigint;
  last: bigint;
}

const COUNTS = { 4: 1n << 32n, 6: 1n << 128n, asn: 1n << 32n } as const;

/**
 * Returns the range from `start` to `end`: two addresses of one version (a prefix length is ignored), or two AS numbers
 * without `AS`. Returns undefined for anything else, or if `end` is before `start`.
 */
export function numberRange(start: string, end: string): NumberRange | undefined {
  const [from, to] = [numberIn(start), numberIn(end)];
  if (from === undefined || to?.kind !== from.kind || to.value < from.value) return undefined;
  return { kind: from.kind, first: from.value, last: to.value };
}

export function overlap(a: NumberRange, b: NumberRange): boolean {
  return a.kind === b.kind && a.first <= b.last && b.first <= a.last;
}

export function contains(range: NumberRange, all: NumberRange): boolean {
  return range.kind === all.kind && range.first <= all.first && all.last <= range.last;
}

/**
 * True if a range contains all numbers of its kind, except perhaps 0. Registries answer with such an entry for numbers
 * that they have not registered.
 */
export function isEverything({ kind, first, last }: NumberRange): boolean {
  return first <= 1n && last === COUNTS[kind] - 1n;
}

function numberIn(text: string): { kind: NumberRange['kind']; value: bigint } | undefined {
  if (/^\d{1,10}$/.test(text)) {
    const value = BigInt(text);
    return value < COUNTS.asn ? { kind: 'asn', value } : undefined;
  }
  const parsed = parseIpAddress(text.replace(/\/\d{1,3}$/, ''));
  if (!parsed.ok) return undefined;
  const { address, version } = parsed.ip;
  const [groups, width] =
    version === 4 ? [address.split('.').map(Number), 8n] : [ipv6Groups(address), 16n];
  const value = groups.reduce((sum, group) => (sum << width) + BigInt(group), 0n);
  return { kind: version, value };
}
