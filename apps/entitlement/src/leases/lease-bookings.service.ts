import { Injectable } from '@nestjs/common';
import type { LeaseUse, SetAsideLease } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { classify, reasonOf } from '#libs/messaging';
import { Logger, crashPoint } from '#libs/platform';
import { GrantsService } from '../grants/grants.service.js';
import type { Book } from '../ledger/book.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { chargeTo, closeReservation } from '../reservations/charge.js';
import { type UsedCredits, UsedCreditsService } from '../used-credits/used-credits.service.js';
import { splitByOperation } from '../used-credits/credits-by-operation.js';
import { repeatOnDeadlock } from './deadlock.js';
import type { Lease } from './lease.js';
import { LeasesRepository } from './leases.repository.js';

/** Leases per transaction: enough to be fast, few enough that no account is locked for long. */
const BATCH_MAX = 200;
const BATCHES_AT_ONCE = 3;
const SET_ASIDE_SHOWN_MAX = 200;

/** `settle` books the usage; `close` also releases the unused credits. */
export type BookingKind = 'settle' | 'close';

/**
 * Books leases in batches: used credits move from reserved to consumed and, when a lease closes, unused ones back to
 * available. A batch that fails is halved until the failing lease is found. That lease is set aside with an alert, and
 * all others are booked.
 */
@Injectable()
export class LeaseBookingsService {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly grants: GrantsService,
    private readonly repository: LeasesRepository,
    private readonly usedCredits: UsedCreditsService,
    private readonly logger: Logger,
  ) {}

  /** @throws while the database is down. Some leases may have been booked; a repeat books the others. */
  async book(kind: BookingKind, uses: LeaseUse[]): Promise<void> {
    // Leases of one account share the account's lock.
    const sorted = uses.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
    const batches: LeaseUse[][] = [];
    for (let first = 0; first < sorted.length; first += BATCH_MAX) {
      batches.push(sorted.slice(first, first + BATCH_MAX));
    }
    const next = batches.values();
    const bookNext = async () => {
      for (const batch of next) await this.bookBatch(kind, batch);
    };
    await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, bookNext));
  }

  /** Lists leases that could not be booked, at most `SET_ASIDE_SHOWN_MAX`, oldest first. */
  async listSetAside(): Promise<SetAsideLease[]> {
    return this.repository.listSetAside(SET_ASIDE_SHOWN_MAX);
  }

  private async bookBatch(kind: BookingKind, uses: LeaseUse[]): Promise<void> {
    try {
      await repeatOnDeadlock(() => this.bookTogether(kind, uses));
    } catch (error) {
      if (classify(error) === 'pause') throw error;
      if (uses.length === 1) return this.setAside(uses[0], error);
      const middle = Math.ceil(uses.length / 2);
      await this.bookBatch(kind, uses.slice(0, middle));
      await this.bookBatch(kind, uses.slice(middle));
    }
  }

  /** Locks accounts in id order, then leases, then grants. */
  private async bookTogether(kind: BookingKind, uses: LeaseUse[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const accountIds = uses.map(({ accountId }) => accountId);
      const read = () => this.repository.list(transaction, uses);
      const { books, found } = await this.grants.open(transaction, accountIds, read, grantsOf);
      const bookOf = new Map(books.map((book) => [book.account.id, book]));
      const leaseOf = new Map(found.map((lease) => [nameOf(lease), lease]));
      const used: UsedCredits[] = [];
      for (const use of uses) {
        const lease = leaseOf.get(nameOf(use));
        if (!lease) continue;
        const book = bookOf.get(lease.accountId) as Book;
        used.push(...charge(book, lease, use));
        if (kind === 'close') closeReservation(book, lease);
      }
      const unknown = uses.filter(isMissingIn(leaseOf));
      await this.save(transaction, books, { found, unknown, used });
      crashPoint('close.before-commit');
    });
  }

  /**
   * Sends the statements together, in one round trip. Stores an unknown id as closed. @throws the error of the first
   * statement that failed, because it causes the later errors.
   */
  private async save(
    transaction: Transaction,
    books: Book[],
    { found, unknown, used }: { found: Lease[]; unknown: LeaseUse[]; used: UsedCredits[] },
  ): Promise<void> {
    const tombstones = unknown.map(({ accountId, leaseId }) => {
      return { accountId, leaseId, outcome: 'closed' as const };
    });
    const sent = await Promise.allSettled([
      this.ledger.save(transaction, books),
      this.repository.update(transaction, found),
      this.repository.insertRefused(transaction, tombstones),
      this.usedCredits.add(transaction, used),
    ]);
    const failed = sent.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async setAside(use: LeaseUse, error: unknown): Promise<void> {
    const reason = reasonOf(error);
    await this.repository.setAside(use, reason);
    const { leaseId, accountId, consumed } = use;
    this.logger.error('a lease cannot be booked; it is set aside', {
      leaseId,
      accountId,
      consumed,
      reason,
    });
  }
}

/**
 * Books a lease up to the higher of the given and the last reported total. @returns the booked credits by operation.
 */
function charge(book: Book, lease: Lease, { consumed, operations = {} }: LeaseUse): UsedCredits[] {
  if (consumed > lease.reported) lease.reportedBy = operations;
  const due = chargeTo(book, lease, Math.max(consumed, lease.reported));
  const { parts, booked } = splitByOperation(due, lease.reportedBy, lease.bookedBy);
  lease.bookedBy = booked;
  const { accountId } = lease;
  return [...parts].map(([operation, credits]) => {
    return { accountId, bookedAt: book.now, operation, credits };
  });
}

function isMissingIn(leases: Map<string, Lease>): (use: LeaseUse) => boolean {
  return (use) => !leases.has(nameOf(use));
}

function grantsOf(leases: Lease[]): string[] {
  return leases.flatMap(({ slices }) => slices.map(({ grantId }) => grantId));
}

function nameOf({ accountId, leaseId }: { accountId: string; leaseId: string }): string {
  return `${accountId}/${leaseId}`;
}
