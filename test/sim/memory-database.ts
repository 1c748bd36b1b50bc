import type { Database, Transaction } from '#libs/database';
import type { Actor, World } from './world.js';

/** Committed rows by primary key. */
export type Rows = Map<string, object>;

/** A statement of the code under test, recognised by how its text begins. */
export interface Statement {
  begins: string;
  /** Names of the locks that it takes first and keeps until its transaction ends. */
  locks?: (parameters: readonly unknown[]) => string[];
  run: (transaction: MemoryTransaction, parameters: readonly unknown[]) => object[];
}

/**
 * PostgreSQL at READ COMMITTED, as state machines see it: locks are kept until the end, writes of others are visible
 * once committed, and statements of a connection run in turn. If a caller dies, its transaction is rolled back.
 * Sometimes the connection breaks, before or after a statement or commit takes effect.
 */
export class MemoryDatabase {
  readonly tables = new Map<string, Rows>();
  private readonly locks = new Map<string, { holder: MemoryTransaction; queue: Waiting[] }>();
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

  /** The database that is given to the code under test. */
  get port(): Database {
    const query = async (sql: string, parameters: unknown[] = []) =>
      this.transaction(async (transaction) => transaction.query(sql, parameters), true);
    const transaction = async <T>(work: (transaction: Transaction) => Promise<T>) =>
      this.transaction(async (opened) => work(opened as unknown as Transaction));
    return { query, transaction, close: async () => {} } as unknown as Database;
  }

  /** @param isSingle for a single statement that commits itself: one round trip. */
  async transaction<T>(
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
    opened.committed();
    return result;
  }

  table(name: string): Rows {
    let rows = this.tables.get(name);
    if (!rows) this.tables.set(name, (rows = new Map()));
    return rows;
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
    // The transaction may have ended while it waited for the previous lock.
    if (transaction.isOver) throw connectionLost();
    const lock = this.locks.get(name);
    if (!lock) this.locks.set(name, { holder: transaction, queue: [] });
    else if (lock.holder !== transaction) {
      await new Promise<void>((resolve) => lock.queue.push({ transaction, resolve }));
    }
    transaction.held.add(name);
  }

  /** Releases all locks and discards rows that were not committed. */
  end(transaction: MemoryTransaction): void {
    if (!this.open.delete(transaction)) return;
    transaction.isOver = true;
    for (const name of transaction.held) this.pass(name);
    for (const { queue } of this.locks.values()) {
      const at = queue.findIndex((waiting) => waiting.transaction === transaction);
      if (at >= 0) queue.splice(at, 1);
    }
  }

  private pass(name: string): void {
    const next = this.locks.get(name)?.queue.shift();
    if (!next) return void this.locks.delete(name);
    (this.locks.get(name) as { holder: MemoryTransaction }).holder = next.transaction;
    next.transaction.held.add(name);
    // Nobody awaits this promise, and it continues in its own step.
    this.world.at(0, undefined, next.resolve);
  }
}

interface Waiting {
  transaction: MemoryTransaction;
  resolve: () => void;
}

export class MemoryTransaction {
  readonly held = new Set<string>();
  isOver = false;
  private readonly writes = new Map<string, Map<string, object | undefined>>();
  private readonly afterCommitWork: (() => void)[] = [];
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: MemoryDatabase,
    readonly actor: Actor | undefined,
    private readonly isSingle: boolean,
  ) {}

  /** Runs a statement after it has taken its locks, waiting for their holders. */
  async query<T = object>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    const { locks, run } = this.database.find(sql);
    return this.send(async () => {
      for (const name of locks?.(parameters) ?? []) await this.database.lock(name, this);
      if (this.isOver) throw connectionLost();
      const rows = run(this, parameters) as T[];
      if (this.isSingle) this.apply();
      return rows;
    });
  }

  async execute(sql: string, parameters: unknown[] = []): Promise<number> {
    return (await this.query(sql, parameters)).length;
  }

  afterCommit(work: () => void): void {
    this.afterCommitWork.push(work);
  }

  /** Sends one statement to the server after the previous ones; it takes effect there and is answered. */
  async send<T>(effect: () => T | Promise<T>): Promise<T> {
    if (this.isOver) throw new Error('the transaction is over');
    const { world } = this.database;
    const before = this.tail;
    const breaksBefore = world.strikes('database', 0.002);
    const breaksAfter = world.strikes('database', 0.002);
    const sent = world.reach(async () => {
      await before;
      if (breaksBefore) this.database.end(this);
      if (this.isOver) throw connectionLost();
      const value = await effect();
      if (breaksAfter) throw connectionLost();
      return value;
    });
    this.tail = sent.catch(() => {});
    return sent;
  }

  async commit(): Promise<void> {
    await this.send(() => this.apply());
  }

  committed(): void {
    for (const work of this.afterCommitWork) work();
  }

  get<Row extends object>(table: string, key: string): Row | undefined {
    const own = this.writes.get(table);
    if (own?.has(key)) return own.get(key) as Row | undefined;
    return this.database.table(table).get(key) as Row | undefined;
  }

  /** The committed rows and the transaction's own, in the order in which they were first written. */
  list<Row extends object>(table: string): Row[] {
    const own = this.writes.get(table);
    const rows = this.database.table(table);
    if (!own) return [...rows.values()] as Row[];
    return [...new Map([...rows, ...own]).values()].filter((row) => row !== undefined) as Row[];
  }

  put(table: string, key: string, row: object): void {
    let own = this.writes.get(table);
    if (!own) this.writes.set(table, (own = new Map()));
    own.set(key, row);
  }

  delete(table: string, key: string): void {
    this.put(table, key, undefined as unknown as object);
  }

  /** The time of the server's clock, in milliseconds. */
  get nowMs(): number {
    return this.database.world.nowMs;
  }

  private apply(): void {
    for (const [table, own] of this.writes) {
      const rows = this.database.table(table);
      for (const [key, row] of own) {
        if (row === undefined) rows.delete(key);
        else rows.set(key, row);
      }
    }
    this.database.end(this);
  }
}

/** The message of pg's error for an ended connection. */
function connectionLost(): Error {
  return new Error('Connection terminated unexpectedly');
}
