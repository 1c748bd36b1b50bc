/** Longer texts are no slip of a finger, and comparing them costs more than they are worth. */
const LENGTH_MAX = 64;
const SLIPS_MAX = 2;

const folded = (text: string) => text.toLowerCase().replaceAll(/[_-]|\/+$/g, '');

/**
 * The name that was meant: equal but for case, `_`, `-` and slashes at the end, or two slips of a finger away.
 * @returns undefined when none is near.
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > LENGTH_MAX) return undefined;
  const wanted = folded(given);
  let nearest: { name: string; slips: number } | undefined;
  for (const name of names) {
    const other = folded(name);
    // Every other short word is near a short word.
    const slipsMax = Math.min(SLIPS_MAX, Math.floor(other.length / 4));
    if (Math.abs(wanted.length - other.length) > slipsMax) continue;
    const slips = slipsBetween(wanted, other);
    if (slips <= slipsMax && slips < (nearest?.slips ?? Infinity)) nearest = { name, slips };
  }
  return nearest?.name;
}

/** Letters to change, put in or leave out (Levenshtein). */
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
