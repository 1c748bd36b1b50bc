import { isDeepStrictEqual } from 'node:util';
import type { Bucket, LedgerEntry, LedgerTransfer, TransferKind } from './ledger-accounts.js';
import { type Grant, revivalOf, sourceOf } from './grant.js';

export type AccountState = 'active' | 'deleted' | 'erased';

/** The row of an account. */
export interface CreditAccount {
  id: string;
  state: AccountState;
  available: number;
  nextDueAt?: Date;
  packageTier?: string;
  allowanceVersion: number;
  lastGranted: number;
  lowThreshold?: number;
  /** The id of the account's last transfer. The next id is greater. */
  lastTransferId?: string;
}

/** The part of a grant's debt that another grant has paid; in `GrantBook.repaid`, the change in this part. */
export interface Repayment {
  reversedGrantId: string;
  payingGrantId: string;
  amount: number;
}

export interface Move {
  grant: Grant;
  from: Bucket;
  to: Bucket;
  amount: number;
}

/** An account's credits as they were read, and a record of every movement since then. */
export abstract class GrantBook {
  readonly transfers: LedgerTransfer[] = [];
  readonly issued = new Set<string>();
  readonly repaid: Repayment[] = [];
  allowanceChanged = false;
  protected readonly grants = new Map<string, Grant>();
  /** The same grants by their source. An account may have thousands, and each movement looks for a source. */
  private readonly bySource = new Map<string, Grant>();
  private readonly before = new Map<string, Grant>();
  private readonly accountBefore: CreditAccount;

  constructor(
    readonly account: CreditAccount,
    grants: Grant[],
    readonly repayments: Repayment[],
    /** The time at which movements are booked. It moves from the past to now while an account is brought up to date. */
    public now: Date,
  ) {
    this.accountBefore = { ...account };
    this.add(grants);
  }

  get all(): Grant[] {
    return [...this.grants.values()];
  }

  /** Adds grants as they were read, except those that are already known. */
  add(grants: readonly Grant[]): void {
    for (const grant of grants.filter(({ id }) => !this.grants.has(id))) {
      this.put(grant);
      this.before.set(grant.id, { ...grant });
    }
  }

  /** The credits that may be spent now: the available, unexpired ones of an active account. */
  get spendable(): number {
    return this.all.reduce((sum, grant) => sum + this.spendableOf(grant), 0);
  }

  get reserved(): number {
    return this.all.reduce((sum, grant) => sum + grant.reserved, 0);
  }

  /** Returns the grants that have changed since they were read, before and after the changes. */
  changed(): { before: Grant; after: Grant }[] {
    return [...this.before.values()]
      .map((before) => ({ before, after: this.grantOf(before.id) }))
      .filter(({ before, after }) => !isDeepStrictEqual(before, after));
  }

  get isDirty(): boolean {
    return (
      this.transfers.length > 0 ||
      this.changed().length > 0 ||
      !isDeepStrictEqual(this.account, this.accountBefore)
    );
  }

  /**
   * Records that the account's rights have changed, which raises their version once per
   * transaction.
   * @returns the version.
   */
  changeAllowance(): number {
    if (!this.allowanceChanged) this.account.allowanceVersion++;
    this.allowanceChanged = true;
    return this.account.allowanceVersion;
  }

  /** Schedules the next application of due dates, at `instant` or earlier. */
  noteDue(instant: Date): void {
    const { nextDueAt } = this.account;
    if (!nextDueAt || instant < nextDueAt) this.account.nextDueAt = instant;
  }

  protected spendableOf(grant: Grant): number {
    if (this.account.state !== 'active' || this.isExpired(grant)) return 0;
    return grant.available;
  }

  protected isExpired(grant: Grant): boolean {
    return grant.expiresAt !== undefined && grant.expiresAt <= this.now;
  }

  protected revivedOf(grant: Grant): Grant | undefined {
    return this.bySource.get(sourceOf({ ...revivalOf(grant), granted: 0 }));
  }

  /** Returns the expired credits that were not moved to another grant. */
  protected lostOf(grant: Grant): number {
    return Math.max(0, grant.expired - (this.revivedOf(grant)?.granted ?? 0));
  }

  protected homeOf(grant: Grant): Bucket {
    if (this.account.state === 'erased') return 'revoked';
    return this.isExpired(grant) ? 'expired' : 'available';
  }

  protected grantOf(id: string): Grant {
    const grant = this.grants.get(id);
    if (!grant) throw new Error(`grant ${id} was not read under the account's lock`);
    return grant;
  }

  protected put(grant: Grant): void {
    this.grants.set(grant.id, grant);
    this.bySource.set(sourceOf(grant), grant);
  }

  protected noteRepayment(debtor: Grant, payer: Grant, amount: number): void {
    const names = { reversedGrantId: debtor.id, payingGrantId: payer.id };
    for (const list of [this.repayments, this.repaid]) {
      const known = list.find(
        (r) => r.reversedGrantId === debtor.id && r.payingGrantId === payer.id,
      );
      if (known) known.amount += amount;
      else list.push({ ...names, amount });
    }
  }

  protected end(grant: Grant): void {
    const { available: amount } = grant;
    this.book('expire', sourceOf(grant), [{ grant, from: 'available', to: 'expired', amount }]);
  }

  protected raiseDebt(kind: 'debt' | 'debt_cancel', grant: Grant, amount: number): void {
    grant.owed += amount;
    this.record(kind, sourceOf(grant), [
      { account: 'debt', grantId: grant.id, amount: -amount },
      { account: 'owed', grantId: grant.id, amount },
    ]);
  }

  protected book(kind: TransferKind, reference: string, moves: Move[]): void {
    this.apply(moves);
    this.recordMoves(kind, reference, moves);
  }

  protected apply(moves: Move[]): void {
    for (const { grant, from, to, amount } of moves) {
      grant[from] -= amount;
      grant[to] += amount;
    }
  }

  /** Records movements that `apply` has made, except those of zero credits. */
  protected recordMoves(kind: TransferKind, reference: string, moves: Move[]): void {
    const entries = moves
      .filter(({ amount }) => amount > 0)
      .flatMap(({ grant, from, to, amount }) => [
        { account: from, grantId: grant.id, amount: -amount },
        { account: to, grantId: grant.id, amount },
      ]);
    if (entries.length > 0) this.record(kind, reference, entries);
  }

  protected record(kind: TransferKind, reference: string, entries: LedgerEntry[]): void {
    this.account.available += entries
      .filter(({ account }) => account === 'available')
      .reduce((sum, { amount }) => sum + amount, 0);
    const { id: accountId, available: availableAfter } = this.account;
    const { now: occurredAt } = this;
    this.transfers.push({ accountId, kind, reference, availableAfter, occurredAt, entries });
  }
}
