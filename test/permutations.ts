/** Returns all permutations of the numbers below `count`. */
export function permutationsOf(count: number): number[][] {
  if (count === 0) return [[]];
  return permutationsOf(count - 1).flatMap((shorter) =>
    Array.from({ length: count }, (_, at) => shorter.toSpliced(at, 0, count - 1)),
  );
}
