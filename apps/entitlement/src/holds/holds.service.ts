import { Injectable } from '@nestjs/common';
import type { HoldAnswer, HoldOutcome, OpenHold } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { HOUR_MS, forEachInOrder, newId } from '#libs/platform';
import { GrantsService } from '../grants/grants.service.js';
import type { Book } from '../ledger/book.js';
import { remainingOf } from '../ledger/credit-level.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { ReservationsService } from '../reservations/reservations.service.js';
import { chargeTo, closeReservation } from '../reservations/charge.js';
import { OTHER_OPERATION } from '../used-credits/credits-by-operation.js';
import { UsedCreditsService } from '../used-credits/used-credits.service.js';
import { type Hold, type NewHold, holdReference } from './hold.js';
import { type HoldName, HoldsRepository } from './holds.repository.js';

const REAPED_PER_ROUND_MAX = 200;
const LAST_SETTLEMENTS_MS = HOUR_MS;

/** Reserves credits in advance: for a job, or for the maximum cost of one request. */
@Injectable()
export class HoldsService {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly grants: GrantsService,
    private readonly repository: HoldsRepository,
    private readonly reservations: ReservationsService,
    private readonly usedCredits: UsedCreditsService,
  ) {}

  /**
   * Holds the whole amount or nothing. A repeat gets the same outcome while the hold is open, and `closed` afterwards.
   * A rejected request may be repeated until the caller closes the id.
   */
  async open(request: OpenHold): Promise<HoldAnswer> {
    return this.database.transaction(async (transaction) => {
      const { books, found } = await this.grants.open(transaction, [request.accountId], () =>
        Promise.all([
          this.repository.find(transaction, request),
          this.ledger.sumUnbooked(transaction, request.accountId),
        ]),
      );
      const [[book], [known, unbooked]] = [books, found];
      // Reserving credits does not change the balance.
      const balance = remainingOf(book) - unbooked;
      if (!known) return { ...(await this.hold(transaction, book, request)), balance };
      await this.ledger.save(transaction, [book]);
      return { ...repeatAnswer(known, book.spendable), balance };
    });
  }

  /**
   * Charges one part of a hold with `count` credits, as far as the hold's amount suffices. Only the first count of a
   * part is charged; later counts, and parts of an unknown hold, have no effect.
   */
  async settle(name: HoldName, part: string, count: number): Promise<void> {
    await this.withHold(name, async (transaction, book, hold) => {
      if (!(await this.repository.insertPart(transaction, hold, part, count))) return;
      const credits = chargeTo(book, hold, hold.consumed + count);
      const { accountId, operation } = hold;
      const used = { accountId, bookedAt: book.now, operation, credits };
      await this.usedCredits.add(transaction, [used]);
    });
  }

  /**
   * Releases the credits that no part has used. If a job's credits expired in the meantime, they are returned once, for
   * seven days. An unknown id is stored as closed.
   */
  async close(name: HoldName): Promise<void> {
    await this.withHold(
      name,
      (_, book, hold) => {
        const lost = closeReservation(book, hold);
        if (hold.kind === 'job') book.giveBack(lost);
      },
      (transaction) =>
        this.repository.insert(transaction, {
          ...newHold(name),
          kind: 'tombstone',
          state: 'closed',
        }),
    );
  }

  /**
   * Ends the holds of an erased account, including those of jobs, because the service that would close them may have
   * deleted the account. Running work has an hour to be settled.
   */
  async endAll(transaction: Transaction, accountId: string): Promise<void> {
    await this.repository.limit(transaction, accountId, LAST_SETTLEMENTS_MS);
  }

  /**
   * Closes holds that have ended, at most `REAPED_PER_ROUND_MAX`. A hold that cannot be closed, because the credits of
   * its account are damaged, is tried again in a minute, so that it does not keep others from being closed.
   * @throws AggregateError if some could not be closed, after all were tried.
   */
  async reap(): Promise<void> {
    const names = await this.repository.listAbandoned(REAPED_PER_ROUND_MAX);
    await forEachInOrder(names, async (name) => {
      try {
        await this.close(name);
      } catch (error) {
        await this.repository.putOff(name);
        throw error;
      }
    });
  }

  private async hold(
    transaction: Transaction,
    book: Book,
    request: OpenHold,
  ): Promise<HoldOutcome> {
    const { amount, holdId, ttlMs } = request;
    if (book.spendable < amount) return this.refuse(transaction, book, request);
    const slices = book.reserve(amount, holdReference(holdId));
    const kind = ttlMs === undefined ? 'job' : 'request';
    const { operation = OTHER_OPERATION } = request;
    const hold: NewHold = { ...newHold(request), kind, state: 'open', amount, slices, operation };
    await Promise.all([
      this.ledger.save(transaction, [book]),
      this.repository.insert(transaction, hold, ttlMs),
    ]);
    return { outcome: 'held', amount, spendable: book.spendable };
  }

  private async refuse(
    transaction: Transaction,
    book: Book,
    { accountId, amount }: OpenHold,
  ): Promise<HoldOutcome> {
    const { spendable } = book;
    const [unused] = await Promise.all([
      this.reservations.sumUnusedOfLeases(transaction, accountId),
      this.ledger.save(transaction, [book]),
    ]);
    if (spendable + unused < amount) return { outcome: 'insufficient', spendable };
    await this.reservations.recallLeases(transaction, accountId);
    return { outcome: 'elsewhere', spendable };
  }

  private async withHold(
    name: HoldName,
    work: (transaction: Transaction, book: Book, hold: Hold) => Promise<void> | void,
    whenUnknown?: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const { books, found: hold } = await this.grants.open(
        transaction,
        [name.accountId],
        () => this.repository.find(transaction, name),
        (known) =>
          known?.slices.flatMap(({ grantId, revivedIn = grantId }) => [grantId, revivedIn]) ?? [],
      );
      if (!hold) return whenUnknown?.(transaction);
      await work(transaction, books[0], hold);
      await Promise.all([
        this.ledger.save(transaction, books),
        this.repository.update(transaction, hold),
      ]);
    });
  }
}

function repeatAnswer({ state, amount }: Hold, spendable: number): HoldOutcome {
  return state === 'open'
    ? { outcome: 'held', amount, spendable }
    : { outcome: 'closed', spendable };
}

function newHold({ accountId, holdId }: HoldName): Omit<NewHold, 'kind' | 'state'> {
  return {
    id: newId(),
    accountId,
    holdId,
    amount: 0,
    operation: OTHER_OPERATION,
    slices: [],
  };
}
