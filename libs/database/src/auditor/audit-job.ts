import { DAY_MS, type Job, type Logger, MINUTE_MS, SECOND_MS, monotonicMs } from '#libs/platform';
import type { AuditorDatabase } from './auditor-database.js';
import { type ViolatedInvariant, checkChunk, checkInvariants } from './check-invariants.js';
import type { InvariantSet } from './invariant.js';

const ROWS_LOGGED_MAX = 5;
/** Longer than two rounds and the longest transaction, so that no change falls between two windows. */
const WINDOW_MS = 15 * MINUTE_MS;
const FULL_INTERVAL_MS = DAY_MS;
/** After this time, a full pass pauses until the next round. */
const CHUNKS_BUDGET_MS = 30 * SECOND_MS;

interface FullPass {
  startedAtMs: number;
  after?: string;
  found: Map<string, number>;
  /** The violations that rounds have found since the start of the pass, which may have read those rows before. */
  changed: Map<string, number>;
}

/**
 * Checks the invariants repeatedly; each violation is an alarm: a log line that an operator must act on. A round
 * checks the rows that have changed in the last 15 minutes. At the start, once a day and after a gap, it also checks
 * all rows, chunk by chunk; a chunk that fails is retried in the next round and does not delay the checks of changed
 * rows.
 */
export class AuditJob implements Job {
  readonly name = 'audit';
  /**
   * The number of rows that violated each invariant when it was last found violated. Only the end of a full pass clears
   * an alarm.
   */
  violations: ReadonlyMap<string, number> = new Map();
  private fullPass?: FullPass;
  private lastFullMs = -Infinity;
  private lastMs = -Infinity;
  private checkedAtMs = monotonicMs();
  private isStopped = false;

  constructor(
    private readonly database: AuditorDatabase,
    readonly set: InvariantSet,
    private readonly logger: Logger,
  ) {}

  /** The time since the last check of recent rows, or since the start if there has been none yet. */
  get ageMs(): number {
    return monotonicMs() - this.checkedAtMs;
  }

  async runOnce(nowMs = monotonicMs()): Promise<void> {
    const isGap = nowMs - this.lastMs > WINDOW_MS / 2;
    const isFullDue = isGap || nowMs - this.lastFullMs >= FULL_INTERVAL_MS;
    const changed = await checkInvariants(this.database, this.set, { windowMs: WINDOW_MS });
    this.log(changed);
    this.note(changed);
    for (const { id, rows } of changed) this.fullPass?.changed.set(id, rows.length);
    this.checkedAtMs = monotonicMs();
    this.lastMs = nowMs;
    if (isFullDue && (isGap || !this.fullPass)) {
      this.fullPass = { startedAtMs: nowMs, found: new Map(), changed: new Map() };
    }
    if (this.fullPass) await this.goOn(this.fullPass);
  }

  /** Ends a pass over all rows after its current chunk. */
  async stop(): Promise<void> {
    this.isStopped = true;
  }

  private async goOn(pass: FullPass): Promise<void> {
    const until = monotonicMs() + CHUNKS_BUDGET_MS;
    do {
      const { violated, to } = await checkChunk(this.database, this.set, pass.after);
      this.log(violated);
      for (const { id, rows } of violated) {
        pass.found.set(id, (pass.found.get(id) ?? 0) + rows.length);
      }
      this.note(violated);
      if (to === undefined) return this.complete(pass);
      pass.after = to;
    } while (monotonicMs() < until && !this.isStopped);
  }

  private complete({ found, changed, startedAtMs }: FullPass): void {
    this.violations = new Map([...changed, ...found]);
    this.lastFullMs = startedAtMs;
    this.fullPass = undefined;
  }

  private note(violated: ViolatedInvariant[]): void {
    const rowsOf = violated.map(({ id, rows }): [string, number] => [id, rows.length]);
    this.violations = new Map([...this.violations, ...rowsOf]);
  }

  private log(violated: ViolatedInvariant[]): void {
    for (const { id, rows } of violated) {
      this.logger.error(`invariant ${id} does not hold`, {
        count: rows.length,
        rows: rows.slice(0, ROWS_LOGGED_MAX),
      });
    }
  }
}
