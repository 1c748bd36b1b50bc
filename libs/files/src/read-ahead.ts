/**
 * Yields the results of `work` in the order of the items. Up to `atOnce` pieces of work are begun before their results
 * are wanted, so that calls to a distant server do not wait for each other.
 * @throws the error of a piece of work, once its turn has come.
 */
export async function* readAhead<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, void> {
  const begun: Promise<R>[] = [];
  for (let next = 0; ;) {
    for (; next < items.length && begun.length < atOnce; next++) {
      const result = work(items[next]);
      // If an earlier piece of work fails, nobody waits for this one.
      result.catch(() => {});
      begun.push(result);
    }
    const first = begun.shift();
    if (first === undefined) return;
    yield await first;
  }
}
