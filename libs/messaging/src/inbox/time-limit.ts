/**
 * Waits for work at most `limitMs`. The work itself is not stopped: the caller must make its further writes impossible,
 * for example by rolling back its transaction. The limit is a plain timer, because this runs for every event: an
 * aborted sleep would create an error with a stack, which took a seventh of a consumer's time.
 * @throws Error that names `what` after the limit.
 */
export async function withinTime<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`${what} did not end within ${limitMs} ms`));
    timer = setTimeout(fail, limitMs);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
