import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Database, type Transaction } from '#libs/database';
import type { LogEntry } from './log-line.js';
import type { LogSink } from './request-log.js';

const COPY_SQL = `copy request_log
  (at, request_id, account_id, key_id, operation, version, subject, status, outcome, credits, duration_ms)
  from stdin`;
const TIMEOUT_MS = 5_000;
/** After that nothing is coming any more: the server ends a statement of its own accord sooner. */
const SILENCE_MS = TIMEOUT_MS + 1_000;
const CLOSE_MS = 1_000;
/** SQLSTATE check_violation: the table has no other check than that of its partitions. */
const NO_PARTITION = '23514';

/** Account and time find the row by an index of one partition; the id tells it from others of that instant. */
const INSERT_MISSING_SQL = `insert into request_log
  (at, request_id, account_id, key_id, operation, version, subject, status, outcome, credits, duration_ms)
  select distinct on (row."requestId") row.at, row."requestId", row."accountId", row."keyId", row.operation,
    row.version, row.subject, row.status, row.outcome, row.credits, row."durationMs"
  from jsonb_to_recordset($1) as row (at timestamptz, "requestId" text, "accountId" uuid, "keyId" uuid,
    operation text, version smallint, subject text, status smallint, outcome text, credits integer,
    "durationMs" integer)
  where not exists (
    select 1 from request_log logged
    where logged.account_id = row."accountId" and logged.at = row.at and logged.request_id = row."requestId")`;

/** Writes the log with COPY over one connection of its own, opened when it is needed. */
export class RequestLogCopy implements LogSink {
  private client?: pg.Client;

  constructor(
    private readonly databaseUrl: string,
    readonly makePartitions: () => Promise<void>,
  ) {}

  /**
   * When a connection breaks between the server's commit and its word, the lines are there twice; so are those of
   * a COPY that the server holds back over a kill of the gateway and commits after the journal's replay. Usage then
   * counts them twice, and a daily cap is reached early; the ledger is not concerned.
   */
  async copy(lines: Buffer): Promise<boolean> {
    const client = (this.client ??= await this.connect());
    try {
      const copy = client.query(copyFrom(COPY_SQL));
      // Nobody listens to it any more when its connection ends after its time is over.
      copy.on('error', () => {});
      await finished(copy.end(lines), { signal: AbortSignal.timeout(SILENCE_MS) });
      return true;
    } catch (error) {
      await this.close();
      if ((error as { code?: unknown }).code === NO_PARTITION) return false;
      throw error;
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (client === undefined) return;
    const ended = client.end().catch(() => {});
    await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
    // A server that has fallen silent does not answer a farewell either.
    client.connection.stream.destroy();
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      application_name: 'gateway request log',
      connectionTimeoutMillis: TIMEOUT_MS,
      statement_timeout: TIMEOUT_MS,
    });
    client.on('error', () => {
      if (this.client === client) this.client = undefined;
    });
    await client.connect();
    return client;
  }
}

/** The request log of accounts, for the account's own pages and for its erasure. */
@Injectable()
export class RequestLogRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes the entries that the log does not have yet, by request id.
   * @returns false when no partition takes one of them; nothing was written then.
   */
  async insertMissing(entries: LogEntry[]): Promise<boolean> {
    const rows = entries.map(({ atMs, ...entry }) => ({ ...entry, at: new Date(atMs) }));
    try {
      await this.database.query(INSERT_MISSING_SQL, [JSON.stringify(rows)]);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === NO_PARTITION) return false;
      throw error;
    }
  }

  /** Credits that keys were charged since `since`, by key; those of nothing are left out. */
  async sumCreditsOfKeys(keyIds: readonly string[], since: Date): Promise<Map<string, number>> {
    // The partitions of the day alone are read, each by its index of key and time.
    const rows = await this.database.query<{ key_id: string; credits: string }>(
      `select key_id, sum(credits) as credits from request_log
       where key_id = any($1) and at >= $2 group by key_id`,
      [keyIds, since],
    );
    return new Map(rows.map(({ key_id, credits }) => [key_id, Number(credits)]));
  }

  /** Remembers that an account's rows are to be forgotten. */
  async insertErasure(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(
      'insert into log_erasures (account_id) values ($1) on conflict do nothing',
      [accountId],
    );
  }
}
