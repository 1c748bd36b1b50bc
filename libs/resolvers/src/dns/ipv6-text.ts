/** Formats an IPv6 address as in RFC 5952. @param octets the 16 octets of the address. */
export function formatIpv6(octets: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => (octets[2 * i] << 8) | octets[2 * i + 1]);
  const [start, length] = longestZeroRun(groups);
  const text = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  if (length < 2) return text(0, 8);
  return `${text(0, start)}::${text(start + length, 8)}`;
}

function longestZeroRun(groups: readonly number[]): [start: number, length: number] {
  let best: [number, number] = [0, 0];
  let start = 0;
  for (let i = 0; i < groups.length; i++) {
    if (groups[i] !== 0) start = i + 1;
    else if (i + 1 - start > best[1]) best = [start, i + 1 - start];
  }
  return best;
}
