import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import {
  Database,
  type DatabaseAddress,
  type Transaction,
  clientFor,
  copyIn,
} from '#libs/database';
import { newId } from '#libs/platform';
import { COPY_LINES_SQL, type LogEntry } from './log-line.js';
import type { LogSink } from './request-log.js';

const TIMEOUT_MS = 5_000;
/** After this time, no answer is expected, because the server cancels statements earlier. */
const SILENCE_MS = TIMEOUT_MS + 1_000;
const CLOSE_MS = 1_000;
/** The SQLSTATE `check_violation`. Only the bounds of the table's partitions cause it. */
const NO_PARTITION = '23514';

const COUNT_BATCH_SQL =
  'update log_writers set batches = batches + 1 where id = $1 returning batches';
const DELETE_WRITER_SQL = 'delete from log_writers where id = $1';
const TAKEN_OVER = 'another process has taken over the journal';

/**
 * SQL that adds missing rows. A row is found by account and time, through an index of one partition; the id
 * distinguishes rows with the same time.
 */
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

export interface CountedRefusals {
  accountId: string;
  keyId: string;
  operation: string;
  version: number;
  status: number;
  outcome: string;
  requests: number;
}

const INSERT_COUNTED_SQL = `insert into request_log
  (at, request_id, account_id, key_id, operation, version, subject, status, outcome, credits, duration_ms, requests)
  select $2, row."requestId", row."accountId", row."keyId", row.operation, row.version, '', row.status,
    row.outcome, 0, 0, row.requests
  from jsonb_to_recordset($1) as row ("requestId" text, "accountId" uuid, "keyId" uuid, operation text,
    version smallint, status smallint, outcome text, requests integer)`;

/**
 * Writes the log with COPY over its own connection, which is opened when needed. Each line is stored once, because a
 * batch and the count of batches are written in one transaction.
 */
export class RequestLogCopy implements LogSink {
  /**
   * Identifies this process in the log. Its journal keeps the id, so that the next process can end batches that this
   * one left open.
   */
  readonly writerId = newId();
  /** Whether the journal still belongs to this process, so that no later process has written the rows in it. */
  isJournalOwn = () => false;
  private client?: pg.Client;
  private isRegistered = false;
  /** Whether the database has lost the row of this process. */
  private isLost = false;
  /** The number of batches that are certain to be in the log. */
  private batches = 0;
  /**
   * How many bytes of the pending lines are certain to be in the log. `sentBytes` were sent by the last attempt and may
   * be in the log.
   */
  private storedBytes = 0;
  private sentBytes = 0;
  private refused?: Buffer;

  constructor(
    private readonly address: DatabaseAddress,
    readonly makePartitions: LogSink['makePartitions'],
  ) {}

  /**
   * Writes lines. @param lines after a failed call, they must begin with the lines of that call.
   * @returns false if a line has no partition; this call then writes no line. If the same lines fail again, the caller
   *   may drop them. @throws for any other failure.
   */
  async copy(lines: Buffer): Promise<boolean> {
    try {
      const client = (this.client ??= await this.connect());
      await this.begin(client);
      this.sentBytes = lines.length;
      await answered(copyIn(client, COPY_LINES_SQL, [lines.subarray(this.storedBytes)]));
      await answered(client.query('commit'));
      this.batches++;
      this.storedBytes = 0;
      return true;
    } catch (error) {
      await this.disconnect();
      if ((error as { code?: unknown }).code !== NO_PARTITION) throw error;
      if (this.refused === lines) this.storedBytes = 0;
      this.refused = lines;
      return false;
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    if (client && this.isRegistered) {
      const removed = client.query(DELETE_WRITER_SQL, [this.writerId]);
      await Promise.race([removed.catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })]);
    }
    await this.disconnect();
  }

  /**
   * Begins a batch. Waits until the server has finished any earlier attempt, and determines whether that attempt
   * succeeded.
   */
  private async begin(client: pg.Client): Promise<void> {
    if (!this.isRegistered) await this.register(client);
    await answered(client.query('begin'));
    const { rows } = await answered(
      client.query<{ batches: string }>(COUNT_BATCH_SQL, [this.writerId]),
    );
    if (rows.length === 0) {
      if (!this.isJournalOwn()) throw new Error(TAKEN_OVER);
      [this.isRegistered, this.isLost] = [false, true];
      throw new Error('the database has lost the row of this process, which is written again');
    }
    const before = Number(rows[0].batches) - 1;
    if (before > this.batches) this.storedBytes = this.sentBytes;
    this.batches = before;
  }

  /**
   * Adds the row of this process. If a failover or a restore of the database has lost this row, all batches, which are
   * newer, are lost as well, even one whose acknowledgement did not arrive.
   */
  private async register(client: pg.Client): Promise<void> {
    const insert = 'insert into log_writers (id) values ($1) on conflict do nothing';
    await answered(client.query(insert, [this.writerId]));
    // A later process opens the journal before it deletes this row, so it may have looked for the row too early.
    if (this.isLost && !this.isJournalOwn()) {
      await answered(client.query(DELETE_WRITER_SQL, [this.writerId]));
      throw new Error(TAKEN_OVER);
    }
    this.isRegistered = true;
    [this.batches, this.storedBytes] = [0, 0];
  }

  private async disconnect(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (client === undefined) return;
    const ended = client.end().catch(() => {});
    await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
    // A server that does not respond would not acknowledge a clean close either.
    client.connection.stream.destroy();
  }

  private async connect(): Promise<pg.Client> {
    const Client = clientFor(this.address);
    const client = new Client({
      application_name: 'gateway request log',
      connectionTimeoutMillis: TIMEOUT_MS,
      statement_timeout: TIMEOUT_MS,
      // If the network loses the message that ends the connection, the server does not notice the end.
      idle_in_transaction_session_timeout: TIMEOUT_MS,
    });
    client.on('error', () => {
      if (this.client === client) this.client = undefined;
    });
    await client.connect();
    return client;
  }
}

/** Waits for the server. @throws if the server stops responding. */
async function answered<T>(answer: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const silence = sleep(SILENCE_MS, undefined, { ref: false, signal: ended.signal });
  const late = silence.then(() => {
    throw new Error('the server does not answer');
  });
  for (const promise of [answer, late]) promise.catch(() => {});
  try {
    return await Promise.race([answer, late]);
  } finally {
    ended.abort();
  }
}

/** Reads the request log, and writes rows without COPY. */
@Injectable()
export class RequestLogRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes the entries that the log lacks.
   * @returns false if no partition accepts one of them; in that case, nothing was written.
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

  async insertCounted(counted: CountedRefusals[], at: Date): Promise<void> {
    const rows = counted.map((one) => ({ ...one, requestId: `refused_${newId()}` }));
    await this.database.query(INSERT_COUNTED_SQL, [JSON.stringify(rows), at]);
  }

  /**
   * Ends earlier processes that wrote the log. Waits until the server has committed or rolled back their batches, and
   * makes it reject everything that arrives from them later.
   */
  async endWriters(writerIds: string[]): Promise<void> {
    await this.database.query('delete from log_writers where id = any ($1::uuid[])', [writerIds]);
  }

  /** Sums the credits that each key was charged from `since` on. Keys without charges are omitted. */
  async sumCreditsOfKeys(keyIds: readonly string[], since: Date): Promise<Map<string, number>> {
    // The statement reads only the partitions from that day on, each through its index on key and time.
    const rows = await this.database.query<{ key_id: string; credits: string }>(
      `select key_id, sum(credits) as credits from request_log
       where key_id = any($1) and at >= $2 group by key_id`,
      [keyIds, since],
    );
    return new Map(rows.map(({ key_id, credits }) => [key_id, Number(credits)]));
  }

  async insertErasure(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(
      'insert into log_erasures (account_id) values ($1) on conflict do nothing',
      [accountId],
    );
  }
}
