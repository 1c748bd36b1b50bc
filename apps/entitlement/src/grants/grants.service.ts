import { Injectable } from '@nestjs/common';
import {
  type Balance,
  type PaymentConfirmed,
  type SubscriptionChanged,
  TRIAL_CREDITS,
} from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, crashPoint } from '#libs/platform';
import type { Book } from '../ledger/book.js';
import type { CreditAccount } from '../ledger/grant-book.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { PaymentsService } from '../payments/payments.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { type CreditSources, advance, followReversals } from './account-credits.js';
import { type Adjustment, GrantsRepository, type Revocation } from './grants.repository.js';

const DUE_PER_ROUND_MAX = 200;
const ADVANCED_AT_ONCE = 4;

/** Gives credits, each source once for ever, and keeps accounts up to date with time. */
@Injectable()
export class GrantsService {
  // oxlint-disable-next-line eslint/max-params -- a constructor may have six
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly repository: GrantsRepository,
    private readonly payments: PaymentsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks accounts and opens their books with time applied: slices issued, ended credits expired.
   * @param read what else the locks guard; sent together with the lock, one round trip in all.
   * @param grantsOf grants that the caller will move, as far as `read` tells.
   */
  async open<T>(
    transaction: Transaction,
    accountIds: string[],
    read: () => Promise<T>,
    grantsOf: (found: T) => string[] = () => [],
  ): Promise<{ books: Book[]; found: T }> {
    const { accounts, found: under } = await this.ledger.lockThen(transaction, accountIds, () =>
      Promise.all([read(), this.ledger.listLiveGrants(transaction, accountIds)]),
    );
    const [found, grants] = under;
    const now = this.clock.now();
    const isDue = ({ nextDueAt }: CreditAccount) => nextDueAt !== undefined && nextDueAt <= now;
    const current = accounts.filter((account) => !isDue(account));
    const known = new Set(grants.map(({ id }) => id));
    const spent = [...new Set(grantsOf(found))].filter((id) => !known.has(id));
    if (spent.length > 0 && current.length > 0) {
      grants.push(...(await this.ledger.listGrantsById(transaction, accountIds, spent)));
    }
    const books = this.ledger.booksOf(current, grants);
    for (const account of accounts.filter(isDue)) {
      books.push((await this.openWhole(transaction, account)).book);
    }
    return { books, found };
  }

  /** Locks one account, applies time, does `work` in its book and writes it. */
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

  /** The book with every grant there ever was, time applied, and what its grants follow from. */
  async openWhole(
    transaction: Transaction,
    account: CreditAccount,
  ): Promise<{ book: Book; sources: CreditSources }> {
    const [book, lines, reversedLines, subscriptions] = await Promise.all([
      this.ledger.readWhole(transaction, account),
      this.payments.listLines(transaction, account.id),
      this.payments.listReversedLines(transaction, account.id),
      this.subscriptions.list(transaction, account.id),
    ]);
    const sources = { lines, reversedLines, subscriptions };
    advance(book, sources);
    return { book, sources };
  }

  /**
   * Locks an account, applies time under what was known, records something new of it and brings its
   * credits to where that leads: grants, their ends, reversals, debt.
   * @param record stores what is new. @returns the sources that it changed, as they are now.
   */
  async follow(
    transaction: Transaction,
    accountId: string,
    record: (book: Book, sources: CreditSources) => Promise<Partial<CreditSources>>,
  ): Promise<void> {
    const [account] = await this.ledger.lock(transaction, [accountId]);
    const { book, sources } = await this.openWhole(transaction, account);
    const current = { ...sources, ...(await record(book, sources)) };
    advance(book, current);
    followReversals(book, current);
    await this.ledger.save(transaction, [book]);
  }

  /** Trial credits: one grant an account and a claim, for ever (S39). */
  async grantTrial(transaction: Transaction, accountId: string, claim: string): Promise<void> {
    await this.change(transaction, accountId, async (book) => {
      const isNew = await this.repository.insertTrialClaim(transaction, claim, accountId, book.now);
      if (!isNew) return;
      book.issue({ sourceType: 'trial', sourceId: claim, sourceIndex: 0, granted: TRIAL_CREDITS });
    });
  }

  /** Issues what a payment's lines bring, and repeats nothing. */
  async grantPayment(
    transaction: Transaction,
    accountId: string,
    payment: PaymentConfirmed,
  ): Promise<void> {
    await this.follow(transaction, accountId, async (_book, { lines }) => {
      const added = await this.payments.recordPayment(transaction, accountId, payment);
      return { lines: [...lines, ...added] };
    });
  }

  /** Keeps a subscription as its snapshot says; its credits end as its state says. */
  async followSubscription(
    transaction: Transaction,
    accountId: string,
    snapshot: SubscriptionChanged,
  ): Promise<void> {
    await this.follow(transaction, accountId, async (book) => {
      const allowanceVersion = book.changeAllowance();
      const change = { snapshot, allowanceVersion };
      await this.subscriptions.record(transaction, accountId, change);
      return { subscriptions: await this.subscriptions.list(transaction, accountId) };
    });
  }

  /** Credits by hand. @returns false when the adjustment was made before. */
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

  /** Takes up to so many spendable credits away, once for each id. */
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

  /** What an account has, with time applied. */
  async balance(accountId: string): Promise<Balance> {
    return this.ledger.balance(await this.advance(accountId));
  }

  /**
   * Applies time to accounts nobody asks about, several at a time, until none is due. One that fails is
   * set aside until the next call and stands in nobody's way.
   * @throws AggregateError with every failure once all were tried.
   */
  async advanceDueAccounts(): Promise<void> {
    const now = this.clock.now();
    const failed = new Map<string, unknown>();
    for (;;) {
      const without = [...failed.keys()];
      const ids = await this.repository.listDueAccounts(now, DUE_PER_ROUND_MAX, without);
      const next = ids.values();
      const advanceNext = async () => {
        for (const id of next) await this.advance(id).catch((error) => failed.set(id, error));
      };
      await Promise.all(Array.from({ length: ADVANCED_AT_ONCE }, advanceNext));
      if (ids.length < DUE_PER_ROUND_MAX) break;
    }
    if (failed.size === 0) return;
    throw new AggregateError(
      failed.values(),
      `${failed.size} accounts cannot be brought up to date`,
    );
  }

  private async advance(accountId: string): Promise<Book> {
    return this.database.transaction(async (transaction) => {
      const book = await this.change(transaction, accountId, () => undefined);
      crashPoint('expiry.before-commit');
      return book;
    });
  }
}

const nothing = async () => undefined;
