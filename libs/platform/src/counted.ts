/** Returns a count with its noun: `1 fault`, `2 faults`. @param nouns the plural, by default the singular and "s". */
export function counted(count: number | bigint, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${Number(count) === 1 ? noun : nouns}`;
}

/** Returns a waiting time in words, rounded up: `1 second`, `40 seconds`, `2 minutes`, `3 hours`. */
export function waitWords(seconds: number): string {
  if (seconds <= 90) return counted(Math.max(1, Math.ceil(seconds)), 'second');
  if (seconds <= 90 * 60) return counted(Math.ceil(seconds / 60), 'minute');
  return counted(Math.ceil(seconds / 3_600), 'hour');
}
