const EVERY_MS = 50;

/** Returns the maximum growth of this process's resident memory during some work, in bytes. */
export async function growthOf(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}
