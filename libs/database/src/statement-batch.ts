import type { Transaction } from './transaction.js';

/**
 * Combines the simultaneous queries of several pieces of work in one transaction, such as the handlers of a batch of
 * events, into one statement. Each query gets its own answer; a failure affects all of them, because it breaks the
 * transaction.
 */
export class StatementBatch<Item, Result> {
  private readonly gathering = new WeakMap<Transaction, Gathering<Item, Result>>();

  /** @param run returns the answers in the order of the items. */
  constructor(
    private readonly run: (transaction: Transaction, items: Item[]) => Promise<Result[]>,
  ) {}

  async add(transaction: Transaction, item: Item): Promise<Result> {
    let gathering = this.gathering.get(transaction);
    if (!gathering) {
      const items: Item[] = [];
      gathering = { items, results: this.send(transaction, items) };
      this.gathering.set(transaction, gathering);
    }
    const place = gathering.items.push(item) - 1;
    return (await gathering.results)[place];
  }

  private async send(transaction: Transaction, items: Item[]): Promise<Result[]> {
    // This lets all code that is ready to run add its query first.
    await new Promise(setImmediate);
    this.gathering.delete(transaction);
    return this.run(transaction, items);
  }
}

interface Gathering<Item, Result> {
  items: Item[];
  results: Promise<Result[]>;
}
