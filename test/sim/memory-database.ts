import type { Database, Transaction } from '#libs/database';
import type { Actor, World } from './world.js';

const BUCKETS = 16;

export interface OutboxRow {
  id: string;
  bucket: number;
  position: number;
  aggregate: string;
  sequence: string;
  data: string;
  sentAtMs?: number;
}

export interface FailedEventRow {
  event_id: string;
  topic: string;
  bucket: number;
  key: string;
  state: 'retrying' | 'dead';
  reason: string;
  attempts: number;
  arrival: number;
  failedAtMs: number;
  nextTryAtMs: number;
}

/** A command of a history, which the producer writes and the consumer's handler applies. */
export interface Command {
  number: number;
  aggregate: string;
}

/** A statement of the code under test, recognised by the beginning of its text. */
export interface Statement {
  begins: string;
  /** Returns the name of the lock that the statement acquires first and that its transaction keeps until its end. */
  lock?(parameters: never): string;
  /** @param write changes rows at the commit, before which no other transaction sees the change. */
  run(
    database: MemoryDatabase,
    parameters: never,
    write: (change: () => void) => void,
  ): object[] | void;
}

interface Waiting {
  transaction: MemoryTransaction;
  resolve: () => void;
}

/**
 * A simulation of PostgreSQL at READ COMMITTED, reduced to rows, locks and commits: locks are kept until the end of the
 * transaction, and writes are visible once they are committed. (No transaction under test reads its own writes.) If a
 * caller dies, its transaction is rolled back. Sometimes the connection breaks, before or after a statement or commit
 * takes effect.
 */
export class MemoryDatabase {
  readonly outbox = new Map<string, OutboxRow>();
  readonly eventSequences = new Map<string, number>();
  readonly buckets = Array.from({ length: BUCKETS }, (_, bucket) => {
    return { bucket, owner: '', epoch: 0, leaseUntilMs: -Infinity };
  });
  readonly inbox = new Set<string>();
  readonly inboxSequences = new Map<string, string>();
  readonly failedEvents = new Map<string, FailedEventRow>();
  readonly commands: Command[] = [];
  /** Rows become visible only at the commit, so a row may appear before another with a lower number. */
  private serial = 0;
  /** The holder of each lock, followed by the transactions that wait for it. */
  private readonly locks = new Map<string, Waiting[]>();
  private readonly open = new Set<MemoryTransaction>();
  private readonly found = new Map<string, Statement>();

  constructor(
    readonly world: World,
    private readonly statements: readonly Statement[],
  ) {
    world.whenDead((actor) => {
      for (const transaction of this.open) {
        if (transaction.actor === actor) this.end(transaction);
      }
    });
  }

  get port(): Database {
    const query = async (sql: string, parameters: unknown[] = []) =>
      this.transaction(async (transaction) => transaction.query(sql, parameters), true);
    const transaction = async <T>(work: (transaction: Transaction) => Promise<T>) =>
      this.transaction(async (opened) => work(opened as unknown as Transaction));
    return { query, transaction } as unknown as Database;
  }

  get nowMs(): number {
    return this.world.nowMs;
  }

  nextSerial(): number {
    return ++this.serial;
  }

  find(sql: string): Statement {
    const known = this.found.get(sql);
    if (known) return known;
    const text = sql.trimStart().replaceAll(/\s+/g, ' ');
    const found = this.statements.find(({ begins }) => text.startsWith(begins));
    if (!found) throw new Error(`the simulation does not know the statement: ${text.slice(0, 90)}`);
    this.found.set(sql, found);
    return found;
  }

  async lock(name: string, transaction: MemoryTransaction): Promise<void> {
    const queue = this.locks.get(name) ?? [];
    this.locks.set(name, queue);
    await new Promise<void>((resolve) => {
      if (queue.push({ transaction, resolve }) === 1) resolve();
    });
  }

  /** Releases all locks and discards uncommitted changes. */
  end(transaction: MemoryTransaction): void {
    if (!this.open.delete(transaction)) return;
    transaction.isOver = true;
    for (const [name, queue] of this.locks) {
      const others = queue.filter((waiting) => waiting.transaction !== transaction);
      if (others.length === 0) this.locks.delete(name);
      else this.locks.set(name, others);
      // No code awaits this promise; it continues in its own step.
      if (others.length > 0 && others[0] !== queue[0])
        this.world.at(0, undefined, others[0].resolve);
    }
  }

  /** @param isSingle whether the statement is its own transaction, in one round trip. */
  private async transaction<T>(
    work: (transaction: MemoryTransaction) => Promise<T>,
    isSingle = false,
  ): Promise<T> {
    const opened = new MemoryTransaction(this, this.world.current, isSingle);
    this.open.add(opened);
    let result: T;
    try {
      result = await work(opened);
      if (!isSingle) await opened.commit();
    } catch (error) {
      this.end(opened);
      throw error;
    }
    for (const done of opened.afterCommitWork) done();
    return result;
  }
}

class MemoryTransaction {
  isOver = false;
  readonly afterCommitWork: (() => void)[] = [];
  private readonly changes: (() => void)[] = [];

  constructor(
    private readonly database: MemoryDatabase,
    readonly actor: Actor | undefined,
    private readonly isSingle: boolean,
  ) {}

  /** Runs a statement once it has acquired its lock. */
  async query<T = object>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    const statement = this.database.find(sql);
    return this.send(async () => {
      const name = statement.lock?.(parameters as never);
      if (name !== undefined) await this.database.lock(name, this);
      if (this.isOver) throw connectionLost();
      const write = (change: () => void) => void this.changes.push(change);
      const rows = statement.run(this.database, parameters as never, write) ?? [];
      if (this.isSingle) this.apply();
      return rows as T[];
    });
  }

  afterCommit(work: () => void): void {
    this.afterCommitWork.push(work);
  }

  async commit(): Promise<void> {
    await this.send(async () => this.apply());
  }

  private async send<T>(effect: () => Promise<T>): Promise<T> {
    if (this.isOver) throw new Error('the transaction is over');
    const { world } = this.database;
    const breaksBefore = world.strikes('database', 0.002);
    const breaksAfter = world.strikes('database', 0.002);
    return world.reach(async () => {
      if (breaksBefore) this.database.end(this);
      if (this.isOver) throw connectionLost();
      const value = await effect();
      if (breaksAfter) throw connectionLost();
      return value;
    });
  }

  private apply(): void {
    for (const change of this.changes) change();
    this.database.end(this);
  }
}

function connectionLost(): Error {
  return new Error('Connection terminated unexpectedly');
}
