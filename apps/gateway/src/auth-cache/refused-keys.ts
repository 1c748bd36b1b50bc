import { type Problem, SECOND_MS, monotonicMs } from '#libs/platform';

const ENTRIES_MAX = 10_000;
const KEEP_MS = SECOND_MS;

/**
 * Remembers keys for a second after their rejection, so that a client that repeats a bad request causes no calls to
 * owners.
 */
export class RefusedKeys {
  private readonly entries = new Map<string, { problem: Problem; untilMs: number }>();

  find(apiKey: string): Problem | undefined {
    const entry = this.entries.get(apiKey);
    if (entry === undefined) return undefined;
    if (entry.untilMs > monotonicMs()) return entry.problem;
    this.entries.delete(apiKey);
    return undefined;
  }

  remember(apiKey: string, problem: Problem): void {
    if (this.entries.size >= ENTRIES_MAX) {
      const [oldest] = this.entries.keys();
      this.entries.delete(oldest);
    }
    this.entries.set(apiKey, { problem, untilMs: monotonicMs() + KEEP_MS });
  }

  clear(): void {
    this.entries.clear();
  }
}
