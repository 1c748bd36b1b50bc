import type { Random } from '../random.js';
import { type Bench, Broken, type InstallationRow, type Row, type RowResult } from './row.js';
import { Installation } from './world/installation.js';

export interface LaneOptions {
  random: Random;
  isLong: boolean;
  /** Lines of progress. */
  say(text: string): void;
  /** Leave the installation's folder, with every log. */
  isKept: boolean;
  /** Each result as soon as it is there. */
  done(result: RowResult): void;
}

const SHORT_PAUSE_MS = 10_000;
const LONG_PAUSE_MS = 60_000;

/** Runs rows one after another on one installation; one that a row broke is replaced. */
export class Lane {
  private installation?: Installation;

  constructor(private readonly options: LaneOptions) {}

  async run(rows: Row[]): Promise<RowResult[]> {
    const results: RowResult[] = [];
    for (const row of rows) {
      const result = await this.one(row);
      this.options.done(result);
      results.push(result);
    }
    return results;
  }

  /** Ends every process; also for a signal in the middle of a run. */
  async stop(): Promise<void> {
    const { installation } = this;
    this.installation = undefined;
    if (this.options.isKept && installation) this.options.say(`logs in ${installation.folder}`);
    await installation?.stop(this.options.isKept);
  }

  private async one(row: Row): Promise<RowResult> {
    const { random, isLong } = this.options;
    const own = random.for(row.name);
    const { name, fault, expectation } = row;
    const result = { name, fault, expectation, seed: own.seed, durationMs: 0, counts: {} };
    const reason = row.isLong && !isLong ? 'takes minutes: only with --long' : row.missing?.();
    if (reason) return { ...result, outcome: 'not run', reason };
    const startedAt = performance.now();
    const counts: Record<string, number> = {};
    try {
      const bench = this.bench(own, counts);
      await (row.isApart ? row.run(bench) : this.installed(row, bench));
      return { ...result, outcome: 'passed', counts, durationMs: performance.now() - startedAt };
    } catch (error) {
      const durationMs = performance.now() - startedAt;
      if (!row.isApart) await this.afterFailure();
      return { ...result, outcome: 'failed', reason: reasonOf(error), counts, durationMs };
    }
  }

  private async installed(row: InstallationRow, bench: Bench): Promise<void> {
    this.installation ??= await Installation.start();
    await row.run({ ...bench, installation: this.installation });
  }

  private bench(random: Random, counts: Record<string, number>): Bench {
    const { isLong, say } = this.options;
    return {
      random,
      isLong,
      pauseMs: isLong ? LONG_PAUSE_MS : SHORT_PAUSE_MS,
      count: (what, by = 1) => (counts[what] = (counts[what] ?? 0) + by),
      worst: (what, value) => (counts[what] = Math.max(counts[what] ?? 0, Math.round(value))),
      say,
    };
  }

  /** What a failed row leaves behind must not fail the next one. */
  private async afterFailure(): Promise<void> {
    const { installation } = this;
    try {
      await installation?.heal();
      await installation?.checker.check({ unbilledMax: Infinity });
    } catch (error) {
      this.options.say(`a new installation, as this one is broken: ${reasonOf(error)}`);
      await this.stop().catch((failure: unknown) => this.options.say(String(failure)));
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Broken) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
