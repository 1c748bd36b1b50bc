import { Injectable } from '@nestjs/common';
import type {
  AcquireLease,
  LeaseAnswer,
  LeaseOutcome,
  LeaseUse,
  SettleAnswer,
} from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, crashPoint } from '#libs/platform';
import { GrantsService } from '../grants/grants.service.js';
import type { Book } from '../ledger/book.js';
import { remainingOf } from '../ledger/credit-level.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { ReservationsService } from '../reservations/reservations.service.js';
import { leaseAmount } from './lease-amount.js';
import { type Lease, type RefusedLease, leaseReference } from './lease.js';
import { LeasesRepository } from './leases.repository.js';

/** How long a holder may spend credits of a lease, counted from its request. */
const LEASE_TTL_MS = 60_000;

@Injectable()
export class LeasesService {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly grants: GrantsService,
    private readonly repository: LeasesRepository,
    private readonly reservations: ReservationsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Answers a request for a lease. A repeat gets the same outcome (a rejection only for 5 minutes), and `closed` once
   * the lease is closed.
   */
  async acquire(request: AcquireLease): Promise<LeaseAnswer> {
    const answer = await this.database.transaction(async (transaction) => {
      const { books, found } = await this.grants.open(transaction, [request.accountId], () =>
        Promise.all([
          this.repository.list(transaction, [request]),
          this.repository.findRefused(transaction, request),
          this.ledger.sumUnbooked(transaction, request.accountId),
        ]),
      );
      const [[book], [[known], refused, unbooked]] = [books, found];
      // Reserving credits does not change the balance.
      const balance = remainingOf(book) - unbooked;
      if (known || refused) {
        const outcome = await this.repeatAnswer(transaction, book, { known, refused });
        return { ...outcome, balance };
      }
      const amount = leaseAmount(request.min, request.wanted, book.spendable);
      const outcome =
        amount === 0
          ? await this.refuse(transaction, book, request)
          : await this.give(transaction, book, request, amount);
      return { ...outcome, balance };
    });
    crashPoint('lease.after-commit');
    return answer;
  }

  /**
   * Stores the cumulative totals of one gateway's leases. The ledger is updated later, at the latest when the leases
   * are closed.
   * @param accounts further accounts that the answer describes.
   * @returns the answer for the gateway, and the totals that arrived after their leases were closed. Closing has
   *   released their credits, so these totals must be booked at once.
   */
  async settle(
    gatewayId: string,
    uses: LeaseUse[],
    accounts: string[] = [],
  ): Promise<{ answer: SettleAnswer; late: LeaseUse[] }> {
    if (uses.length > 0) {
      crashPoint('settle.before-commit');
      await this.repository.report(uses);
    }
    const accountIds = [...new Set([...accounts, ...uses.map(({ accountId }) => accountId)])];
    const [late, answer] = await Promise.all([
      uses.length > 0 ? this.repository.listLate(uses) : [],
      this.repository.readAnswer(gatewayId, accountIds, this.clock.now()),
    ]);
    if (uses.length > 0) crashPoint('settle.after-commit');
    return { answer, late };
  }

  private async give(
    transaction: Transaction,
    book: Book,
    request: AcquireLease,
    amount: number,
  ): Promise<LeaseOutcome> {
    const { accountId, leaseId, gatewayId } = request;
    const slices = book.reserve(amount, leaseReference(leaseId));
    const lease = { accountId, leaseId, gatewayId, amount, slices };
    await Promise.all([
      this.ledger.save(transaction, [book]),
      this.repository.insert(transaction, lease, LEASE_TTL_MS),
    ]);
    crashPoint('lease.before-commit');
    return { outcome: 'granted', amount, ttlMs: LEASE_TTL_MS, spendable: book.spendable };
  }

  /** Rejects a request as `insufficient`, or as `elsewhere` if recalled credits of other leases would suffice. */
  private async refuse(
    transaction: Transaction,
    book: Book,
    { accountId, leaseId, min }: AcquireLease,
  ): Promise<LeaseOutcome> {
    const { spendable } = book;
    const [unused] = await Promise.all([
      this.reservations.sumUnusedOfLeases(transaction, accountId),
      this.ledger.save(transaction, [book]),
    ]);
    const outcome = spendable + unused < min ? 'insufficient' : 'elsewhere';
    if (outcome === 'elsewhere') await this.reservations.recallLeases(transaction, accountId);
    await this.repository.insertRefused(transaction, [{ accountId, leaseId, outcome }]);
    return { outcome, spendable };
  }

  private async repeatAnswer(
    transaction: Transaction,
    book: Book,
    { known, refused }: { known?: Lease; refused?: RefusedLease },
  ): Promise<LeaseOutcome> {
    await this.ledger.save(transaction, [book]);
    const { spendable } = book;
    if (known?.state === 'open') {
      const { amount, remainingMs: ttlMs } = known;
      return { outcome: 'granted', amount, ttlMs, spendable };
    }
    return { outcome: refused?.outcome ?? 'closed', spendable };
  }
}
