import { Database, Transaction } from '#libs/database';

/**
 * Simulates a process that ends after a number of steps; there is a step before and after each statement and commit.
 * After the end, none of the process's statements reaches the database, and it gets no answers.
 */
export class CrashSimulator {
  private steps = 0;

  constructor(private readonly lastStep: number) {}

  get isDead(): boolean {
    return this.steps > this.lastStep;
  }

  /** Returns the database as this process sees it: with a step before and after each statement and commit. */
  seen(database: Database): Database {
    const replaced: Pick<Database, 'query' | 'transaction'> = {
      query: <T>(sql: string, parameters?: unknown[]) =>
        this.between(() => database.query<T>(sql, parameters)),
      transaction: (work) =>
        this.between(() =>
          database.transaction((transaction) =>
            this.between(() => work(this.seenTransaction(transaction))),
          ),
        ),
    };
    return Object.assign(Object.create(database) as Database, replaced);
  }

  private seenTransaction(transaction: Transaction): Transaction {
    const query = <T>(sql: string, parameters?: unknown[]) =>
      this.between(() => transaction.query<T>(sql, parameters));
    return Object.assign(Object.create(transaction) as Transaction, { query });
  }

  private async between<T>(work: () => Promise<T>): Promise<T> {
    this.step();
    const result = await work();
    this.step();
    return result;
  }

  private step(): void {
    this.steps++;
    if (!this.isDead) return;
    throw Object.assign(new Error('the process has ended'), { code: 'ECONNRESET' });
  }
}
