import { Injectable } from '@nestjs/common';
import {
  type Balance,
  type PaymentConfirmed,
  type PaymentLine,
  type SubscriptionLine,
  type SubscriptionUpgradeLine,
  TRIAL_CREDITS,
  tierOfCredits,
} from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, crashPoint } from '#libs/platform';
import type { Book } from '../ledger/book.js';
import type { CreditAccount } from '../ledger/grant-book.js';
import type { NewGrant } from '../ledger/grant.js';
import { inTurn } from '../ledger/in-turn.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { type CreditSources, advance, expiryWithin, followReversals } from './account-credits.js';
import { type Adjustment, GrantsRepository } from './grants.repository.js';
import { type CreditPeriod, slicesOf } from '../subscriptions/monthly-slices.js';
import { SubscriptionsRepository } from '../subscriptions/subscriptions.repository.js';

const DUE_PER_ROUND_MAX = 200;

/** Gives credits, each source once for ever, and keeps accounts up to date with time. */
@Injectable()
export class GrantsService {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly repository: GrantsRepository,
    private readonly subscriptions: SubscriptionsRepository,
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
    const [book, sources] = await Promise.all([
      this.ledger.readWhole(transaction, account),
      this.sourcesOf(transaction, account.id),
    ]);
    advance(book, sources);
    return { book, sources };
  }

  async sourcesOf(transaction: Transaction, accountId: string): Promise<CreditSources> {
    const [subscriptions, periods, reversedLines] = await Promise.all([
      this.subscriptions.listSubscriptions(transaction, [accountId]),
      this.subscriptions.listPeriods(transaction, [accountId]),
      this.repository.listReversedLines(transaction, accountId),
    ]);
    return { subscriptions, periods, reversedLines };
  }

  /** Trial credits: one grant an account and a claim, for ever (S39). */
  async grantTrial(transaction: Transaction, accountId: string, claim: string): Promise<void> {
    await this.change(transaction, accountId, async (book) => {
      const isNew = await this.repository.insertTrialClaim(transaction, claim, accountId, book.now);
      if (!isNew) return;
      book.issue({ sourceType: 'trial', sourceId: claim, sourceIndex: 0, granted: TRIAL_CREDITS });
    });
  }

  /** Issues what a payment's lines bring. A line that was announced before brings nothing. */
  async grantPayment(
    transaction: Transaction,
    accountId: string,
    payment: PaymentConfirmed,
  ): Promise<void> {
    const [account] = await this.ledger.lock(transaction, [accountId]);
    const now = this.clock.now();
    const lines = await this.repository.insertPaymentLines(transaction, accountId, payment, now);
    const { book, sources } = await this.openWhole(transaction, account);
    // A reversal may have waited for a line that pays slices which are issued already.
    followReversals(book, sources.reversedLines);
    for (const line of lines) {
      if (line.kind === 'subscription') {
        const period = periodOf(line);
        await this.subscriptions.putPeriod(transaction, accountId, period);
        sources.periods.push(period);
      }
      const source = newGrantOf(line, sources);
      if (!source) continue;
      const grant = book.issue(source);
      followReversals(book, sources.reversedLines);
      book.repayFrom(grant);
    }
    advance(book, sources);
    await this.ledger.save(transaction, [book]);
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

  /** What an account has, with time applied. */
  async balance(accountId: string): Promise<Balance> {
    return this.ledger.balance(await this.advance(accountId));
  }

  /** Applies time to accounts nobody asks about. */
  async advanceDueAccounts(): Promise<void> {
    const now = this.clock.now();
    const ids = await this.repository.listDueAccounts(now, DUE_PER_ROUND_MAX);
    await inTurn(ids, (id) => this.advance(id));
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

function newGrantOf(line: PaymentLine, { subscriptions }: CreditSources): NewGrant | undefined {
  const { kind, lineId: sourceId } = line;
  if (kind === 'package') {
    const granted = Number(line.credits);
    const tier = line.tier ?? tierOfCredits(granted)?.name;
    return { sourceType: kind, sourceId, sourceIndex: 0, granted, tier };
  }
  if (kind !== 'subscription_upgrade') return undefined;
  const from = new Date(line.from);
  const slice = slicesOf(periodOf(line)).find(({ end }) => end > from);
  if (!slice) return undefined;
  const [start, end] = [slice.start.getTime(), slice.end.getTime()];
  const rest = end - Math.max(start, from.getTime());
  return {
    sourceType: kind,
    sourceId,
    sourceIndex: 0,
    granted: Math.floor((Number(line.monthlyCredits) * rest) / (end - start)),
    subscriptionId: line.subscriptionId,
    sliceEnd: slice.end,
    expiresAt: expiryWithin(
      slice.end,
      subscriptions.find(({ id }) => id === line.subscriptionId),
    ),
  };
}

function periodOf(line: SubscriptionLine | SubscriptionUpgradeLine): CreditPeriod {
  const end = new Date(line.periodEnd);
  return {
    subscriptionId: line.subscriptionId,
    start: new Date(line.periodStart),
    end,
    interval: line.interval,
    slicesUntil: end,
    paidThrough: end,
    monthlyCredits: Number(line.monthlyCredits),
  };
}
