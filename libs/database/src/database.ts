import type { Pool } from 'pg';
import { DataSource, type EntityManager, type EntitySchema, type MixedList } from 'typeorm';
import { DatabaseUnavailable, Problem } from '#libs/platform';
import {
  StatementTimeout,
  isCanceled,
  isConnectTimeout,
  isUnavailable,
} from './database-failure.js';
import { type DatabaseAddress, clientFor, urlNow } from './database-login.js';
import {
  ANSWER_GRACE_MS,
  IDLE_IN_TRANSACTION_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from './statement-limits.js';
import { Transaction } from './transaction.js';

export interface DatabaseOptions {
  /** `postgres://role:password@host:port/database`; the role's search path is its service's schema. */
  url: DatabaseAddress;
  /** The name that PostgreSQL shows in pg_stat_activity. */
  applicationName: string;
  entities?: MixedList<Function | string | EntitySchema>;
  /** The maximum number of connections, 10 by default; further requests wait for a free one. */
  poolSize?: number;
  /** The longest wait for a new or free connection, in milliseconds; 5 s by default. */
  connectTimeoutMs?: number;
  /** The maximum run time of a statement, in milliseconds; 15 s by default. */
  statementTimeoutMs?: number;
  /**
   * The time without an answer, in milliseconds, after which the server counts as unavailable and the connection is
   * closed; by default, 15 s more than the limit of a statement.
   */
  answerTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 60_000;
/** The default number of connections of a pool. */
export const POOL_SIZE = 10;

export interface PoolState {
  connections: number;
  idle: number;
  waiting: number;
}

export class Database {
  private constructor(
    private readonly source: DataSource,
    private readonly address: DatabaseAddress,
  ) {}

  /**
   * Opens a pool. A timeout of `connectTimeoutMs` is followed by a second attempt. @throws if the server cannot be
   * reached.
   */
  static async open(options: DatabaseOptions): Promise<Database> {
    const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
    const source = new DataSource({
      type: 'postgres',
      url: urlNow(options.url),
      applicationName: options.applicationName,
      entities: options.entities ?? [],
      synchronize: false,
      installExtensions: false,
      poolSize: options.poolSize ?? POOL_SIZE,
      connectTimeoutMS: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      extra: {
        // Statements that are sent without waiting for each other share a round trip, in order.
        pipeline: true,
        statement_timeout: statementTimeoutMs,
        query_timeout: options.answerTimeoutMs ?? statementTimeoutMs + ANSWER_GRACE_MS,
        // For a COPY whose data is read: this process sets no time limit for it.
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
        // Each new connection reads the URL again, because the password may have changed.
        Client: clientFor(options.url),
      },
    });
    // A process that is still loading its modules may see a timeout although the answer has arrived, so it tries
    // twice.
    await source.initialize().catch((error: unknown) => {
      if (!isConnectTimeout(error)) throw error;
      return source.initialize();
    });
    return new Database(source, options.url);
  }

  /**
   * Runs `work` in one transaction: commits if `work` resolves, and rolls back if it throws. The isolation level is the
   * server's default, READ COMMITTED, because setting it would cost a round trip. `work` must not make network calls.
   * @throws the error of `work`; Error if `work` resolves although one of its statements failed (outside a savepoint)
   *   or is still running, because then nothing would be stored; DatabaseUnavailable if no connection is free in time,
   *   or the server cannot be queried; StatementTimeout.
   */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    let transaction: Transaction | undefined;
    const result = await available(
      this.source.transaction(async (manager) => {
        transaction = this.opened(manager);
        return runGuarded(transaction, work);
      }),
    );
    transaction?.committed();
    return result;
  }

  /**
   * Runs `work` in one transaction for reads: all statements see the database as of the first statement (REPEATABLE
   * READ). @throws the errors of `transaction`.
   */
  async snapshot<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return available(
      this.source.transaction('REPEATABLE READ', (manager) =>
        runGuarded(this.opened(manager), work),
      ),
    );
  }

  /**
   * Runs one statement outside a transaction and returns its rows, for reads and individual maintenance statements.
   * @throws DatabaseUnavailable and StatementTimeout like `transaction`.
   */
  async query<T = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    const runner = this.source.createQueryRunner();
    try {
      const result = await available(runner.query(sql, parameters, true));
      return result.records as T[];
    } finally {
      await runner.release();
    }
  }

  private opened(manager: EntityManager): Transaction {
    return new Transaction(manager, (processId) => this.cancel(processId));
  }

  /** Cancels a statement over a separate connection, because the statement's own connection is busy. */
  private async cancel(processId: number): Promise<void> {
    const Client = clientFor(this.address);
    const limits = {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
    };
    const client = new Client(limits);
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select pg_cancel_backend($1)', [processId]);
    } finally {
      await client.end();
    }
  }

  get pool(): PoolState {
    const { master } = this.source.driver as unknown as { master: Pool };
    const { totalCount, idleCount, waitingCount } = master;
    return { connections: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /** TypeORM's data source, for the repositories of plain entities. */
  get dataSource(): DataSource {
    return this.source;
  }

  async close(): Promise<void> {
    if (this.source.isInitialized) await this.source.destroy();
  }
}

/**
 * Converts failures of the database. @throws StatementTimeout; DatabaseUnavailable, after which the same request can
 * succeed once the database is back.
 */
async function available<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (isCanceled(error)) throw new StatementTimeout(error);
    if (isUnavailable(error)) throw new DatabaseUnavailable(error);
    throw error;
  }
}

async function runGuarded<T>(
  transaction: Transaction,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  try {
    const value = await work(transaction);
    await transaction.runLast();
    await transaction.checkIntact();
    return value;
  } finally {
    transaction.end();
  }
}

/** The same database through the role of relays and reapers, which may access every account's rows. */
export abstract class MaintenanceDatabase {
  abstract transaction: Database['transaction'];
  abstract query: Database['query'];
  abstract close: Database['close'];
}
