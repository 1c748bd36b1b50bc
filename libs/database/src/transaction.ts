import type { ClientBase, PoolClient } from 'pg';
import type { EntityManager, QueryResult, QueryRunner } from 'typeorm';
import { type CopyChunks, copyIn, copyOut } from './copy.js';
import { ANSWER_GRACE_MS } from './statement-limits.js';

const BROKEN = 'the transaction was broken by a failed statement whose error was ignored';

/** Members of pg's client that its types omit. */
type KnownClient = Omit<PoolClient, 'pipeline'> & {
  readyForQuery?: boolean;
  pipeline: boolean;
  connection: { stream: { destroy(): void } };
  connectionParameters: { query_timeout: number };
};

/** Cancels the current statement of another connection of the same role, by the id of its server process. */
export type CancelStatement = (processId: number) => Promise<void>;

/**
 * An open transaction. Every function that writes takes it as its first argument, so that a write outside a transaction
 * does not compile. Only `Database` creates one.
 */
export class Transaction {
  private readonly lastWork: (() => Promise<void>)[] = [];
  private readonly afterCommitWork: (() => void)[] = [];
  private isOver = false;
  private running = 0;
  /** The connection while a COPY uses it. */
  private copying?: KnownClient;
  /** Gives the connection the limit of its pool again. */
  private restoreLimit?: () => void;

  private readonly guarded: QueryRunner;
  private entities?: EntityManager;

  constructor(
    private readonly entityManager: EntityManager,
    private readonly cancel: CancelStatement,
  ) {
    this.guarded = this.guard(entityManager.queryRunner!);
  }

  /**
   * TypeORM's entity manager. Its statements are checked like those of `query`, even if a caller has kept the manager.
   * @throws if the transaction is over.
   */
  get manager(): EntityManager {
    this.checkOpen();
    this.entities ??= this.entityManager.dataSource.createEntityManager(this.guarded);
    return this.entities;
  }

  /** Runs one statement and returns its rows, including rows from `RETURNING`. */
  async query<T = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return (await this.run(sql, parameters)).records as T[];
  }

  /** Runs one statement and returns the number of rows that it wrote. */
  async execute(sql: string, parameters: unknown[] = []): Promise<number> {
    return (await this.run(sql, parameters)).affected ?? 0;
  }

  /**
   * Sets the time limit for this transaction's later statements, which replaces the pool's time limit.
   * @throws RangeError for less than a millisecond; StatementTimeout, from the transaction, if a statement runs longer.
   */
  async limitStatements(limitMs: number): Promise<void> {
    if (!(limitMs >= 1)) throw new RangeError(`${limitMs} ms is not a valid limit`);
    const limited = this.query(`select set_config('statement_timeout', $1, true)`, [
      String(Math.floor(limitMs)),
    ]);
    await this.awaitAnswers(limitMs + ANSWER_GRACE_MS);
    await limited;
  }

  /** Waits at least this long for each answer in this transaction. */
  private async awaitAnswers(limitMs: number): Promise<void> {
    const client = (await this.entityManager.queryRunner!.connect()) as KnownClient;
    const { connectionParameters: parameters } = client;
    const { query_timeout: before } = parameters;
    if (this.isOver || before >= limitMs) return;
    parameters.query_timeout = limitMs;
    this.restoreLimit ??= () => void (parameters.query_timeout = before);
  }

  /**
   * Copies rows into a table by `copy … from stdin`, which is one statement with one time limit. The chunks are read as
   * fast as the server accepts them; other statements wait until the copy ends.
   * @returns the number of rows.
   * @throws Error if another statement is running; the server's error about the data and the errors of `chunks`, after
   * which the transaction is broken.
   */
  async copyIn(sql: string, chunks: CopyChunks): Promise<number> {
    const client = await this.claim();
    try {
      return await copyIn(client as unknown as ClientBase, sql, chunks);
    } finally {
      this.release(client);
    }
  }

  /**
   * Returns the data of `copy … to stdout`, in pieces of any size. This is one statement, whose time limit includes the
   * reader's time. A reader that stops early breaks the transaction, so it must throw.
   * @throws Error if another statement is running.
   */
  async *copyOut(sql: string): AsyncGenerator<Buffer, void, void> {
    // The process id comes from the server, because PgBouncer gives a connection an invented one.
    const [{ id: serverProcess }] = await this.query<{ id: number }>(
      'select pg_backend_pid() as id',
    );
    const client = await this.claim();
    try {
      const end = () => void client.connection.stream.destroy();
      const cancel = async () => this.cancel(serverProcess).catch(end);
      yield* copyOut(client as unknown as ClientBase, sql, cancel);
    } finally {
      this.release(client);
    }
  }

  /**
   * Runs `work` after everything else in the transaction has succeeded. Use this for a lock for which all transactions
   * compete: the lock is then held only briefly, without any other wait. An exception in `work` rolls back.
   */
  beforeCommit(work: () => Promise<void>): void {
    this.checkOpen();
    this.lastWork.push(work);
  }

  /** Runs the work of `beforeCommit`. Only `Database` calls this, after the transaction's own work has succeeded. */
  async runLast(): Promise<void> {
    for (const work of this.lastWork) await work();
  }

  /**
   * Runs `work` once `Database.transaction` has committed; never after a rollback or a `snapshot`. `work` must not
   * throw.
   */
  afterCommit(work: () => void): void {
    this.afterCommitWork.push(work);
  }

  /**
   * Checks that a commit keeps the writes. Only `Database` calls this, after the work has succeeded. If a statement of
   * the transaction has failed, PostgreSQL answers the COMMIT with a rollback, and without an error. @throws if a
   * commit would not keep the writes.
   */
  async checkIntact(): Promise<void> {
    if (this.running > 0) throw new Error('the transaction has a statement that was not awaited');
    const client = (await this.entityManager.queryRunner?.connect()) as KnownClient | undefined;
    try {
      // An error arrives before the server reports the state of the transaction, so an empty query waits for that
      // report.
      if (!client?.readyForQuery) await client?.query('select 1');
    } catch (cause) {
      throw new Error(BROKEN, { cause });
    }
    if (client?.getTransactionStatus() !== 'T') throw new Error(BROKEN);
  }

  /**
   * Lets the transaction accept no further statements. Only `Database` calls this, before it commits or rolls back: a
   * statement that nobody awaited would otherwise run afterwards, in its own transaction, and an unfinished COPY would
   * keep the connection forever.
   */
  end(): void {
    this.isOver = true;
    this.restoreLimit?.();
    this.copying?.connection.stream.destroy();
  }

  /** Runs the work of `afterCommit`. Only `Database` calls this. */
  committed(): void {
    for (const work of this.afterCommitWork) work();
  }

  private checkOpen(): void {
    const runner = this.entityManager.queryRunner;
    if (this.isOver || !runner?.isTransactionActive) throw new Error('the transaction is over');
  }

  /**
   * Returns the connection for a COPY. Until `release`, other statements wait, because the COPY's data would be
   * mistaken for their answers. @throws Error if a statement is running.
   */
  private async claim(): Promise<KnownClient> {
    this.checkOpen();
    if (this.running > 0) throw new Error('a COPY begins when no other statement is running');
    this.running += 1;
    const client = (await this.entityManager.queryRunner!.connect()) as KnownClient;
    client.pipeline = false;
    this.copying = client;
    return client;
  }

  private release(client: KnownClient): void {
    client.pipeline = true;
    this.copying = undefined;
    this.running -= 1;
  }

  private async run(sql: string, parameters: unknown[]): Promise<QueryResult> {
    return this.guarded.query(sql, parameters, true);
  }

  /**
   * Returns a guarded connection: its statements run only while the transaction is open, and running ones are counted.
   */
  private guard(runner: QueryRunner): QueryRunner {
    const query = async (...statement: Parameters<QueryRunner['query']>) => {
      this.checkOpen();
      this.running += 1;
      try {
        return await runner.query(...statement);
      } finally {
        this.running -= 1;
      }
    };
    return new Proxy(runner, {
      get: (target, name) => {
        if (name === 'query') return query;
        return name === 'manager' ? this.manager : Reflect.get(target, name);
      },
    });
  }
}
