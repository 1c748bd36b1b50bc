import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, SECOND_MS, ServiceUnavailable } from '#libs/platform';
import { type LogEntry, readLine } from './log-line.js';

export interface RowStore {
  /** Writes the missing rows. @returns false if no partition accepts one of them. */
  insertMissing(entries: LogEntry[]): Promise<boolean>;
  /** Prevents these earlier processes from writing anything more to the log. */
  endWriters(writerIds: string[]): Promise<void>;
  makePartitions(days: ReadonlySet<string>): Promise<void>;
}

const BATCH_MAX = 1_000;
const RETRY_MS = SECOND_MS;
/** Maximum time for which a daily cap waits for the rows that it counts. */
const WAIT_MAX_MS = 3 * SECOND_MS;

/** Writes the charges that a killed gateway could not log. Daily caps are counted only afterwards. */
export class MissingRows {
  private done: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly store: RowStore,
    private readonly logger: Logger,
  ) {}

  /**
   * Prevents the processes that left rows from writing more, and then writes the rows. Both are retried until they
   * succeed. Damaged lines are skipped, and rows older than the oldest partition are dropped. @throws if `stop` is
   * called before they have.
   */
  async restore(lines: string[], writerIds: string[]): Promise<void> {
    const entries = lines.map(readLine).filter((entry) => entry !== undefined);
    this.done = this.writeAll(entries, writerIds);
    return this.done;
  }

  /** Waits until no row is missing. @throws ServiceUnavailable after three seconds. */
  async settled(): Promise<void> {
    const ended = new AbortController();
    const late = sleep(WAIT_MAX_MS, 'late', { ref: false, signal: ended.signal });
    const done = this.done.finally(() => ended.abort());
    const first = await Promise.race([done, late.catch(() => done)]);
    if (first === 'late') throw new ServiceUnavailable('gateway');
  }

  stop(): void {
    this.stopping.abort();
  }

  private async writeAll(entries: LogEntry[], writerIds: string[]): Promise<void> {
    if (writerIds.length > 0) await this.untilDone(() => this.store.endWriters(writerIds));
    for (let first = 0; first < entries.length; first += BATCH_MAX) {
      await this.untilDone(() => this.write(entries.slice(first, first + BATCH_MAX)));
    }
  }

  private async write(entries: LogEntry[]): Promise<void> {
    if (await this.store.insertMissing(entries)) return;
    const days = entries.map(({ atMs }) => new Date(atMs).toISOString().slice(0, 10));
    await this.store.makePartitions(new Set(days));
    if (await this.store.insertMissing(entries)) return;
    let dropped = 0;
    for (const entry of entries) {
      if (!(await this.store.insertMissing([entry]))) dropped += 1;
    }
    if (dropped === 0) return;
    this.logger.error(
      'rows of an earlier process are older than the oldest partition of the request log and are dropped',
      { rows: dropped },
    );
  }

  private async untilDone(work: () => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        this.logger.warn(
          'the rows of an earlier process cannot be written; this will be retried',
          error,
        );
        await sleep(RETRY_MS, undefined, { ref: false, signal });
      }
    }
  }
}
