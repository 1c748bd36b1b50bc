/** The maximum length of a given text. Longer texts are not typing errors, and comparing them is expensive. */
const LENGTH_MAX = 64;
const SLIPS_MAX = 2;

const folded = (text: string) => text.toLowerCase().replaceAll(/[_-]|\/+$/g, '');

/**
 * Returns the intended name: equal except for case, `_`, `-` and slashes at the end, or at most two typing errors away
 * (and at most one for every four letters).
 * @returns undefined if no name is similar, or `given` has more than 64 characters.
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > LENGTH_MAX) return undefined;
  const wanted = folded(given);
  let nearest: { name: string; slips: number } | undefined;
  for (const name of names) {
    const other = folded(name);
    // Two short words are always similar.
    const slipsMax = Math.min(SLIPS_MAX, Math.floor(other.length / 4));
    if (Math.abs(wanted.length - other.length) > slipsMax) continue;
    const slips = slipsBetween(wanted, other);
    if (slips <= slipsMax && slips < (nearest?.slips ?? Infinity)) nearest = { name, slips };
  }
  return nearest?.name;
}

/** Returns the Levenshtein distance. */
function slipsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}
