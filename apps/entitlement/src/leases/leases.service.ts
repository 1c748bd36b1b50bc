import { Injectable } from '@nestjs/common';
import type { AcquireLease, LeaseAnswer, LeaseUse, SettleAnswer } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { crashPoint, newId } from '#libs/platform';
import { GrantsService } from '../grants/grants.service.js';
import type { Book } from '../ledger/book.js';
import { inTurn } from '../ledger/in-turn.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { ReservationsRepository } from '../reservations/reservations.repository.js';
import { chargeTo, closeReservation } from '../reservations/settlement.js';
import { repeatOnDeadlock } from './deadlock.js';
import { leaseAmount } from './lease-amount.js';
import { type Lease, leaseReference } from './lease.js';
import { type LeaseName, LeasesRepository } from './leases.repository.js';

/** The reaper leaves a lease alone for this long after its end. */
const REAP_GRACE_MS = 60_000;
const REAPED_PER_ROUND_MAX = 200;

/** How long a holder may spend from a lease, counted from the moment it asked. */
const LEASE_TTL_MS = 60_000;

/** Credits for gateways to spend without asking: given ahead, settled in totals, taken back. */
@Injectable()
export class LeasesService {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly grants: GrantsService,
    private readonly repository: LeasesRepository,
    private readonly reservations: ReservationsRepository,
  ) {}

  /** Answers an acquire; the same id always gets the same outcome, and `closed` after its close. */
  async acquire(request: AcquireLease): Promise<LeaseAnswer> {
    const answer = await this.database.transaction(async (transaction) => {
      const { books, found } = await this.grants.open(transaction, [request.accountId], () =>
        this.repository.list(transaction, [request]),
      );
      const [[book], [known]] = [books, found];
      if (known) return this.repeatAnswer(transaction, known, book);
      const amount = leaseAmount(request.min, request.wanted, book.spendable);
      if (amount === 0) return this.refuse(transaction, book, request);
      return this.give(transaction, book, request, amount);
    });
    crashPoint('lease.after-commit');
    return answer;
  }

  /**
   * Books the cumulative totals of one gateway's leases, of many accounts in a few statements. Locks
   * accounts in id order, then grants in id order.
   */
  async settle(gatewayId: string, uses: LeaseUse[]): Promise<SettleAnswer> {
    const unbooked = uses.length === 0 ? [] : await this.repository.listUnbooked(uses);
    const spendable =
      unbooked.length === 0 ? {} : await repeatOnDeadlock(() => this.book(unbooked));
    if (unbooked.length > 0) crashPoint('settle.after-commit');
    return { recalled: await this.repository.listRecalled(gatewayId), spendable };
  }

  /** Books the total and gives back the rest. An unknown id is remembered as closed. */
  async close(use: LeaseUse): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const { books, found } = await this.openWithLeases(transaction, [use]);
      const [[book], [lease]] = [books, found];
      if (!lease) return this.repository.insert(transaction, tombstone(use), 0);
      chargeTo(book, lease, use.consumed);
      closeReservation(book, lease);
      await this.save(transaction, books, found);
      crashPoint('close.before-commit');
    });
  }

  /** Closes leases that ended a while ago with the use that was last reported. */
  async reap(): Promise<void> {
    const names = await this.repository.listAbandoned(REAP_GRACE_MS, REAPED_PER_ROUND_MAX);
    if (names.length > 0) crashPoint('reaper.before-close');
    await inTurn(names, (name) => this.close({ ...name, consumed: 0 }));
    if (names.length > 0) crashPoint('reaper.after-close');
  }

  /** Notes, for the auditor, from when on leases may stay open past their end. */
  async noteReaperWait(): Promise<void> {
    await this.repository.putReaperWait();
  }

  private async book(uses: LeaseUse[]): Promise<Record<string, number>> {
    return this.database.transaction(async (transaction) => {
      const { books, found: leases } = await this.openWithLeases(transaction, uses);
      const bookOf = new Map(books.map((book) => [book.account.id, book]));
      const usesOf = Map.groupBy(uses, nameOf);
      for (const lease of leases) {
        const book = bookOf.get(lease.accountId) as Book;
        for (const use of usesOf.get(nameOf(lease)) ?? []) settleLease(book, lease, use);
      }
      await this.save(transaction, books, leases);
      crashPoint('settle.before-commit');
      return Object.fromEntries(books.map((book) => [book.account.id, book.spendable]));
    });
  }

  /** The leases that are named, and the books of their accounts with all grants they came from. */
  private async openWithLeases(
    transaction: Transaction,
    names: LeaseName[],
  ): Promise<{ books: Book[]; found: Lease[] }> {
    const accountIds = names.map(({ accountId }) => accountId);
    const read = () => this.repository.list(transaction, names);
    return this.grants.open(transaction, accountIds, read, grantsOf);
  }

  /** Sent together: one round trip. */
  private async save(transaction: Transaction, books: Book[], leases: Lease[]): Promise<void> {
    await Promise.all([
      this.ledger.save(transaction, books),
      this.repository.update(transaction, leases),
    ]);
  }

  private async give(
    transaction: Transaction,
    book: Book,
    request: AcquireLease,
    amount: number,
  ): Promise<LeaseAnswer> {
    const slices = book.reserve(amount, leaseReference(request.leaseId));
    const lease: Lease = {
      ...newLease(request),
      outcome: 'granted',
      state: 'open',
      amount,
      slices,
    };
    // The lease goes second: its credits may come from a slice that was issued just now.
    await Promise.all([
      this.ledger.save(transaction, [book]),
      this.repository.insert(transaction, lease, LEASE_TTL_MS),
    ]);
    crashPoint('lease.before-commit');
    return { outcome: 'granted', amount, ttlMs: LEASE_TTL_MS, spendable: book.spendable };
  }

  /** Credits that other holders have not used are asked back; only without them it is a true "no". */
  private async refuse(
    transaction: Transaction,
    book: Book,
    request: AcquireLease,
  ): Promise<LeaseAnswer> {
    const { accountId, min } = request;
    const { spendable } = book;
    const [unsettled] = await Promise.all([
      this.reservations.sumUnsettledLeases(transaction, accountId),
      this.ledger.save(transaction, [book]),
    ]);
    const outcome = spendable + unsettled < min ? 'insufficient' : 'elsewhere';
    if (outcome === 'elsewhere') await this.reservations.recallLeases(transaction, accountId);
    await this.repository.insert(transaction, { ...newLease(request), outcome }, 0);
    return { outcome, spendable };
  }

  private async repeatAnswer(
    transaction: Transaction,
    lease: Lease,
    book: Book,
  ): Promise<LeaseAnswer> {
    await this.ledger.save(transaction, [book]);
    const { outcome, amount, remainingMs: ttlMs } = lease;
    const { spendable } = book;
    if (outcome === 'insufficient' || outcome === 'elsewhere') return { outcome, spendable };
    if (outcome === 'closed' || lease.state === 'closed') return { outcome: 'closed', spendable };
    return { outcome: 'granted', amount, ttlMs, spendable };
  }
}

function settleLease(book: Book, lease: Lease, { consumed, keep }: LeaseUse): void {
  chargeTo(book, lease, consumed);
  if (keep === undefined || lease.state === 'closed') return;
  book.release(lease, Math.max(0, keep - lease.consumed));
  lease.isRecalled = false;
}

function newLease({ accountId, leaseId, gatewayId }: AcquireLease): Lease {
  return {
    id: newId(),
    accountId,
    leaseId,
    gatewayId,
    reference: leaseReference(leaseId),
    state: 'closed',
    outcome: 'closed',
    amount: 0,
    consumed: 0,
    late: 0,
    unbilled: 0,
    remainingMs: 0,
    isRecalled: false,
    slices: [],
  };
}

function tombstone({ accountId, leaseId }: LeaseUse): Lease {
  return newLease({ accountId, leaseId, gatewayId: '', min: 0, wanted: 0 });
}

function grantsOf(leases: Lease[]): string[] {
  return leases.flatMap(({ slices }) => slices.map(({ grantId }) => grantId));
}

function nameOf({ accountId, leaseId }: LeaseName): string {
  return `${accountId}/${leaseId}`;
}
