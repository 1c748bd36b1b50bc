import type { PoolClient } from 'pg';
import type { EntityManager, QueryResult, QueryRunner } from 'typeorm';

const BROKEN = 'the transaction was broken by a failed statement whose error was swallowed';

/** pg's client says so of itself; its types do not. */
type IdleAwareClient = PoolClient & { readyForQuery?: boolean };

/**
 * An open transaction. Whatever writes takes it as its first argument, so that a write outside of a
 * transaction does not compile. Only `Database.transaction` makes one.
 */
export class Transaction {
  private readonly lastWork: (() => Promise<void>)[] = [];
  private readonly afterCommitWork: (() => void)[] = [];
  private isOver = false;
  private running = 0;

  constructor(private readonly entityManager: EntityManager) {}

  /** TypeORM's own, for rows that are entities. @throws when the transaction is over. */
  get manager(): EntityManager {
    this.checkOpen();
    return this.entityManager;
  }

  /** Rows of one statement, `RETURNING` included. */
  async query<T = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return (await this.run(sql, parameters)).records as T[];
  }

  /** Number of rows one statement wrote. */
  async execute(sql: string, parameters: unknown[] = []): Promise<number> {
    return (await this.run(sql, parameters)).affected ?? 0;
  }

  /**
   * Runs `work` when everything else of the transaction has succeeded: for a lock that all transactions
   * contend for, so that it is held for a moment and nothing is waited for under it. What it throws rolls back.
   */
  beforeCommit(work: () => Promise<void>): void {
    this.checkOpen();
    this.lastWork.push(work);
  }

  /** For `Database` alone, when the work has succeeded. */
  async runLast(): Promise<void> {
    for (const work of this.lastWork) await work();
  }

  /** Runs `work` once the transaction has committed; never after a rollback. Must not throw. */
  afterCommit(work: () => void): void {
    this.afterCommitWork.push(work);
  }

  /**
   * For `Database` alone, when the work has succeeded. PostgreSQL answers the COMMIT of a transaction
   * in which a statement failed by rolling back, without an error.
   * @throws when a commit would not keep what was written.
   */
  async checkIntact(): Promise<void> {
    if (this.running > 0) throw new Error('the transaction has a statement nobody waited for');
    const client = (await this.entityManager.queryRunner?.connect()) as IdleAwareClient | undefined;
    try {
      // An error arrives before the server's word on the transaction: while that is out, ask again.
      if (!client?.readyForQuery) await client?.query('select 1');
    } catch (cause) {
      throw new Error(BROKEN, { cause });
    }
    if (client?.getTransactionStatus() !== 'T') throw new Error(BROKEN);
  }

  /**
   * For `Database` alone, before it commits or rolls back: a statement somebody forgot to wait for would
   * run after it, in a transaction of its own.
   */
  end(): void {
    this.isOver = true;
  }

  /** For `Database` alone. */
  committed(): void {
    for (const work of this.afterCommitWork) work();
  }

  private checkOpen(): QueryRunner {
    const runner = this.entityManager.queryRunner;
    if (this.isOver || !runner?.isTransactionActive) throw new Error('the transaction is over');
    return runner;
  }

  private async run(sql: string, parameters: unknown[]): Promise<QueryResult> {
    const runner = this.checkOpen();
    this.running += 1;
    try {
      return await runner.query(sql, parameters, true);
    } finally {
      this.running -= 1;
    }
  }
}
