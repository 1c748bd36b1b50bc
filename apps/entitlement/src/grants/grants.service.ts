import { Injectable } from '@nestjs/common';
import {
  type BalanceAnswer,
  type PaymentConfirmed,
  type SubscriptionChanged,
  TRIAL_CREDITS,
} from '#libs/contracts';
import { Database, StatementBatch, type Transaction } from '#libs/database';
import { Clock } from '#libs/platform';
import type { Book } from '../ledger/book.js';
import type { Grant } from '../ledger/grant.js';
import type { CreditAccount } from '../ledger/grant-book.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { PaymentsService } from '../payments/payments.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { type CreditSources, advance, followReversals } from './account-credits.js';
import { type Adjustment, GrantsRepository, type Revocation } from './grants.repository.js';

interface OpenedAccount {
  book: Book;
  sources: CreditSources;
}

/** Grants and revokes credits, each source only once, applies due dates to accounts, and reads balances. */
@Injectable()
export class GrantsService {
  // Accounts of one batch of events are locked, read and written together.
  private readonly opened = new StatementBatch<string, OpenedAccount>(
    async (transaction, accountIds) => {
      const accounts = await this.ledger.lock(transaction, accountIds);
      if (accounts.length < accountIds.length) throw new Error('an account was opened twice');
      const opened = await this.loadAllGrants(transaction, accounts);
      const byId = new Map(opened.map((one) => [one.book.account.id, one]));
      return accountIds.map((id) => byId.get(id) as OpenedAccount);
    },
  );
  private readonly saved = new StatementBatch<Book, void>(async (transaction, books) => {
    await this.ledger.save(transaction, books);
    return [];
  });

  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly repository: GrantsRepository,
    private readonly payments: PaymentsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks accounts and opens their books with due dates applied: slices are issued, and ended credits expire. The
   * caller must save the books.
   * @param read reads other data that the locks guard, in the same round trip as the lock; it is called again if an
   * account is new.
   * @param grantsOf selects from that data the ids of the grants that the caller will move. The books may lack other
   *   grants without available, reserved or owed credits.
   * @returns the books, in any order, and the result of `read`.
   */
  async open<T>(
    transaction: Transaction,
    accountIds: string[],
    read: () => Promise<T>,
    grantsOf: (found: T) => string[] = () => [],
  ): Promise<{ books: Book[]; found: T }> {
    const { accounts, found: under } = await this.ledger.lockAndRead(transaction, accountIds, () =>
      Promise.all([read(), this.ledger.listLiveGrants(transaction, accountIds)]),
    );
    const [found, grants] = under;
    const now = this.clock.now();
    const known = new Set(grants.map(({ id }) => id));
    const named = new Set(grantsOf(found));
    const spent = [...named].filter((id) => !known.has(id));
    if (spent.length > 0) {
      grants.push(...(await this.ledger.listGrantsById(transaction, accountIds, spent)));
    }
    // Credits that were returned to an ended grant are in another grant, to which the ended grant's reversals also
    // apply.
    const shared = grants
      .filter((grant) => isReversed(grant) || (named.has(grant.id) && hasEnded(grant, now)))
      .map(({ id }) => id);
    if (shared.length > 0) {
      grants.unshift(...(await this.ledger.listReturned(transaction, accountIds, shared)));
    }
    // If a movement lowers the debt of revived credits, the credits that repaid it return to other grants.
    const repaid = new Set(grants.filter(isRevivedAndRepaid).map(({ accountId }) => accountId));
    const whole = accounts.filter((account) => isDue(account, now) || repaid.has(account.id));
    const others = accounts.filter((account) => !whole.includes(account));
    const books = this.ledger.booksOf(others, grants, now);
    const opened = await this.loadAllGrants(transaction, whole);
    return { books: [...books, ...opened.map(({ book }) => book)], found };
  }

  /** Locks an account, applies due dates, runs `work` on its book, and writes the book. */
  async change(
    transaction: Transaction,
    accountId: string,
    work: (book: Book) => Promise<void> | void,
  ): Promise<Book> {
    const { books } = await this.open(transaction, [accountId], nothing);
    const [book] = books;
    await work(book);
    await this.ledger.save(transaction, [book]);
    return book;
  }

  /**
   * Locks an account, applies due dates with the known sources, records a new source, and updates the account's grants,
   * their ends, reversals and debt.
   * @param record stores the new source, and returns the whole lists of the kinds of sources that it changed.
   */
  async follow(
    transaction: Transaction,
    accountId: string,
    record: (book: Book, sources: CreditSources) => Promise<Partial<CreditSources>>,
  ): Promise<void> {
    const { book, sources } = await this.opened.add(transaction, accountId);
    const current = { ...sources, ...(await record(book, sources)) };
    advance(book, current);
    followReversals(book, current);
    await this.saved.add(transaction, book);
  }

  /** Grants trial credits once per account and per claim (S39). */
  async grantTrial(transaction: Transaction, accountId: string, claim: string): Promise<void> {
    await this.change(transaction, accountId, async (book) => {
      const isNew = await this.repository.insertTrialClaim(transaction, claim, accountId, book.now);
      if (!isNew) return;
      book.issue({ sourceType: 'trial', sourceId: claim, sourceIndex: 0, granted: TRIAL_CREDITS });
    });
  }

  /**
   * Records a payment's lines and issues those of their credits that are due, once per line.
   * @throws AnnouncedOtherwise, as in `PaymentsService.recordPayment`.
   */
  async grantPayment(
    transaction: Transaction,
    accountId: string,
    payment: PaymentConfirmed,
  ): Promise<void> {
    await this.follow(transaction, accountId, async (book, { lines }) => {
      const { now } = book;
      const added = await this.payments.recordPayment(transaction, accountId, payment, now);
      return { lines: [...lines, ...added] };
    });
  }

  async followSubscription(
    transaction: Transaction,
    accountId: string,
    snapshot: SubscriptionChanged,
  ): Promise<void> {
    await this.follow(transaction, accountId, async (book) => {
      const allowanceVersion = book.changeAllowance();
      const change = { snapshot, allowanceVersion };
      await this.subscriptions.record(transaction, accountId, change);
      return { subscriptions: await this.subscriptions.list(transaction, [accountId]) };
    });
  }

  /**
   * Grants an operator's credits. @returns false if the adjustment was made before.
   * @throws IdempotencyKeyReused if the adjustment's id was used for another account.
   */
  async grantByOperator(accountId: string, adjustment: Adjustment): Promise<boolean> {
    const { id: sourceId, amount: granted, expiresAt } = adjustment;
    return this.database.transaction(async (transaction) => {
      let isNew = false;
      await this.change(transaction, accountId, async (book) => {
        const { now } = book;
        isNew = await this.repository.insertAdjustment(transaction, accountId, adjustment, now);
        if (!isNew) return;
        book.issue({ sourceType: 'operator', sourceId, sourceIndex: 0, granted, expiresAt });
      });
      return isNew;
    });
  }

  /**
   * Takes away spendable credits, at most the given number, once per id.
   * @returns whether the id is new, and how many credits were taken.
   * @throws IdempotencyKeyReused if the revocation's id was used for another account.
   */
  async revokeByOperator(
    accountId: string,
    revocation: Revocation,
  ): Promise<{ isNew: boolean; revoked: number }> {
    const { id, amount } = revocation;
    return this.database.transaction(async (transaction) => {
      let answer = { isNew: false, revoked: 0 };
      await this.change(transaction, accountId, async (book) => {
        const known = await this.repository.findRevoked(transaction, accountId, id);
        answer = { isNew: known === undefined, revoked: known ?? book.withdraw(amount, id) };
        if (known !== undefined) return;
        const made = { ...revocation, accountId, revoked: answer.revoked, madeAt: book.now };
        await this.repository.insertRevocation(transaction, made);
      });
      return answer;
    });
  }

  /** Lists every grant of an account, with due dates applied. Takes no lock and writes nothing. */
  async list(accountId: string): Promise<readonly Grant[]> {
    return this.database.snapshot(async (transaction) => {
      const account = await this.ledger.readAccount(transaction, accountId);
      const [{ book }] = await this.loadAllGrants(transaction, [account]);
      return book.all;
    });
  }

  /** Returns an account's balance, with due dates applied. Takes no lock and writes nothing. */
  async balance(accountId: string): Promise<BalanceAnswer> {
    return this.database.snapshot((transaction) => this.balanceIn(transaction, accountId));
  }

  /** Returns the same as `balance`, read in the caller's snapshot. */
  async balanceIn(transaction: Transaction, accountId: string): Promise<BalanceAnswer> {
    const [{ account, live, newest, leased }, lines] = await Promise.all([
      this.ledger.readShown(transaction, accountId),
      this.payments.listLines(transaction, [accountId]),
    ]);
    const now = this.clock.now();
    if (isDue(account, now)) {
      const [{ book }] = await this.loadAllGrants(transaction, [account]);
      return this.ledger.balance(book, { leased, lines });
    }
    const [book] = this.ledger.booksOf([account], live, now);
    return this.ledger.balance(book, { newest, leased, lines });
  }

  /** Applies all due dates of the given accounts, in the caller's transaction. */
  async advance(transaction: Transaction, accountIds: string[]): Promise<void> {
    const accounts = await this.ledger.lock(transaction, accountIds);
    const now = this.clock.now();
    const due = accounts.filter((account) => isDue(account, now));
    const opened = await this.loadAllGrants(transaction, due);
    const books = opened.map(({ book }) => book);
    await this.ledger.save(transaction, books);
  }

  /** Returns the books of accounts, in the given order, with every grant and source, and with due dates applied. */
  private async loadAllGrants(
    transaction: Transaction,
    accounts: CreditAccount[],
  ): Promise<OpenedAccount[]> {
    if (accounts.length === 0) return [];
    const ids = accounts.map(({ id }) => id);
    const [books, lines, reversedLines, subscriptions] = await Promise.all([
      this.ledger.readWhole(transaction, accounts),
      this.payments.listLines(transaction, ids),
      this.payments.listReversedLines(transaction, ids),
      this.subscriptions.list(transaction, ids),
    ]);
    const linesOf = Map.groupBy(lines, ownerOf);
    const reversedLinesOf = Map.groupBy(reversedLines, ownerOf);
    const subscriptionsOf = Map.groupBy(subscriptions, ownerOf);
    return books.map((book) => {
      const { id } = book.account;
      const sources = {
        lines: linesOf.get(id) ?? [],
        reversedLines: reversedLinesOf.get(id) ?? [],
        subscriptions: subscriptionsOf.get(id) ?? [],
      };
      advance(book, sources);
      return { book, sources };
    });
  }
}

const nothing = async () => undefined;

const ownerOf = ({ accountId }: { accountId: string }) => accountId;

function isDue({ nextDueAt }: CreditAccount, now: Date): boolean {
  return nextDueAt !== undefined && nextDueAt <= now;
}

const hasEnded = ({ expiresAt }: Grant, now: Date) => expiresAt !== undefined && expiresAt <= now;

const isReversed = ({ lineId, requestedTarget }: Grant) =>
  lineId !== undefined && requestedTarget > 0;

const isRevivedAndRepaid = ({ sourceType, repaid }: Grant) =>
  sourceType === 'release' && repaid > 0;
