/**
 * Runs `work` for one item after another. A failure does not affect the other items.
 * @throws AggregateError with all failures, after every item has been tried.
 */
export async function forEachInOrder<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  let count = 0;
  for await (const item of items) {
    count += 1;
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `${failures.length} of ${count} failed`);
  }
}
