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

  private readonly guarded: QueryRunner;
  private entities?: EntityManager;

  constructor(private readonly entityManager: EntityManager) {
    this.guarded = this.guard(entityManager.queryRunner!);
  }

  /**
   * TypeORM's own, for rows that are entities. Its statements are checked as those of `query` are, also
   * when somebody kept it. @throws when the transaction is over.
   */
  get manager(): EntityManager {
    this.checkOpen();
    this.entities ??= this.entityManager.dataSource.createEntityManager(this.guarded);
    return this.entities;
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

  private checkOpen(): void {
    const runner = this.entityManager.queryRunner;
    if (this.isOver || !runner?.isTransactionActive) throw new Error('the transaction is over');
  }

  private async run(sql: string, parameters: unknown[]): Promise<QueryResult> {
    return this.guarded.query(sql, parameters, true);
  }

  /** The connection, whose statements run only while the transaction is open and are counted while they do. */
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
