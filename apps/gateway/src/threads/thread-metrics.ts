import { Metrics, SECOND_MS } from '#libs/platform';
import type { RunningThread } from './running-thread.js';

const TIMEOUT_MS = 5 * SECOND_MS;

/** The metrics of a process: its own and those of its threads, as one text. */
export class ThreadMetrics extends Metrics {
  constructor(private readonly threads: readonly RunningThread[]) {
    super();
  }

  /** A thread that does not answer is left out; readiness names it. */
  override async text(): Promise<string> {
    const answers = await Promise.allSettled(
      this.threads.map(async (thread) => thread.ask('metrics', TIMEOUT_MS)),
    );
    const snapshots = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value] : [],
    );
    return Metrics.textOf([await this.snapshot(), ...snapshots]);
  }
}
