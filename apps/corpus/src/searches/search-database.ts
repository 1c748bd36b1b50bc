import type { Database } from '#libs/database';
import { sqlStateOf } from '#libs/database';
import {
  DatabaseUnavailable,
  type FairTurns,
  ServiceUnavailable,
  currentContext,
  monotonicMs,
} from '#libs/platform';
import type { Registration } from '../records/registration.js';
import type { SuppressedValues } from '../suppression/suppressed-values.js';
import type { SuppressionsService } from '../suppression/suppressions.service.js';
import { SearchTooHeavy } from './searches.errors.js';

const QUERY_CANCELED = '57014';

/**
 * The connection pool of searches. Searches have their own connections and time limit, so that a heavy search delays
 * neither other services nor the write path. Accounts take turns by the duration of their searches, so that accounts
 * with heavy searches, however many, hardly delay the others (S102).
 */
export class SearchDatabase {
  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionsService,
    /**
     * The server itself cancels statements that exceed their time limit. If it is silent for this long, the database
     * counts as unavailable.
     */
    private readonly silenceMs = Infinity,
    private readonly turns?: FairTurns,
  ) {}

  /**
   * Returns rows without suppressed data: rows with a suppressed `name` are omitted, and contacts
   * with a suppressed value are removed from each `record`.
   * @throws SearchTooHeavy if the time limit is exceeded; ServiceUnavailable if the account's turn does not come in
   *   time, or as `SuppressionsService.values` does; DatabaseUnavailable if no connection becomes free, or the server
   *   does not answer.
   */
  async query<T = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    const accountId = currentContext()?.accountId;
    if (!this.turns || accountId === undefined) return this.queryForAll<T>(sql, parameters);
    const endTurn = await this.turns.begin(accountId);
    if (!endTurn) throw new ServiceUnavailable('searches');
    const startedMs = monotonicMs();
    const rows = this.queryForAll<T>(sql, parameters);
    return rows.finally(() => endTurn(monotonicMs() - startedMs));
  }

  /**
   * Returns rows like `query`, but does not wait for a turn, because the searches of all accounts
   * may wait for these rows.
   */
  async queryForAll<T>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    try {
      return await this.unlessSilent(async () => {
        const values = await this.suppressions.values(this.database);
        const rows = await this.database.query<T & ShownRow>(sql, parameters);
        return rows.flatMap((row) => shownRow(row, values));
      });
    } catch (error) {
      throw sqlStateOf(error) === QUERY_CANCELED ? new SearchTooHeavy(error) : error;
    }
  }

  private async unlessSilent<T>(work: () => Promise<T>): Promise<T> {
    if (this.silenceMs === Infinity) return work();
    const silence = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => silence.reject(new DatabaseUnavailable(new Error('no answer'))),
      this.silenceMs,
    );
    try {
      return await Promise.race([work(), silence.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

interface ShownRow {
  name?: unknown;
  record?: unknown;
}

function shownRow<T extends ShownRow>(row: T, values: SuppressedValues): T[] {
  if (typeof row.name === 'string' && values.hasName(row.name)) return [];
  if (typeof row.record !== 'object' || row.record === null) return [row];
  return [{ ...row, record: values.masked(row.record as Registration) }];
}

/** Reads data for the worker with the same filters as searches, but with a time limit for each part of the answer. */
export class FeedDatabase extends SearchDatabase {}
