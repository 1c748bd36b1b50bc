import { newId } from '#libs/platform';
import type { Bucket, TransferKind } from './chart.js';
import { GrantBook, type Move } from './grant-book.js';
import { type Grant, type NewGrant, PAID_SOURCES, frozenOf, inBurnOrder } from './grant.js';
import { type Reservation, type ReservationSlice, reservedRest, restOf } from './reservation.js';

/**
 * The movements of an account's credits. Pure: the ledger writes grants, transfers and account in one
 * statement afterwards. Every movement keeps the rules of reversals, so no caller has to think of them.
 */
export class Book extends GrantBook {
  /** Adds a grant. After erasure its credits are revoked at once. */
  issue(source: NewGrant): Grant {
    const grant: Grant = {
      ...source,
      id: newId(),
      accountId: this.account.id,
      issuedAt: this.now,
      available: 0,
      reserved: 0,
      consumed: 0,
      expired: 0,
      revoked: 0,
      frozenTarget: 0,
      reversalTarget: 0,
      owed: 0,
      repaid: 0,
    };
    this.grants.set(grant.id, grant);
    this.issued.add(grant.id);
    grant.available += source.granted;
    this.record('grant', referenceOf(grant), [
      { account: 'issued', grantId: grant.id, amount: -source.granted },
      { account: 'available', grantId: grant.id, amount: source.granted },
    ]);
    if (this.account.state === 'erased') this.revokeAvailable();
    if (source.sourceType !== 'release') {
      this.account.lastGranted = source.granted;
      this.account.lowThreshold = undefined;
    }
    return grant;
  }

  /** Repays open debt, oldest first, from a paid grant whose reversal targets are known. */
  repayFrom(grant: Grant): void {
    if (!PAID_SOURCES.includes(grant.sourceType)) return;
    const debtors = this.all.filter((g) => g.owed > 0 && g !== grant).sort(byAge);
    for (const debtor of debtors) {
      const amount = Math.min(debtor.owed, grant.available - frozenOf(grant));
      if (amount <= 0) continue;
      debtor.owed -= amount;
      debtor.repaid += amount;
      this.noteRepayment(debtor, grant, amount);
      this.apply([{ grant, from: 'available', to: 'consumed', amount }]);
      this.record('repay', referenceOf(debtor), [
        { account: 'available', grantId: grant.id, amount: -amount },
        { account: 'consumed', grantId: grant.id, amount },
        { account: 'debt', grantId: debtor.id, amount },
        { account: 'owed', grantId: debtor.id, amount: -amount },
      ]);
    }
  }

  /** Moves `amount` spendable credits to reserved, in burn order. The caller checked `spendable`. */
  reserve(amount: number, reference: string): ReservationSlice[] {
    const moves = this.take(amount);
    this.move(
      'reserve',
      reference,
      moves.map(([grant, part]) => ({ grant, from: 'available', to: 'reserved', amount: part })),
    );
    return moves.map(([grant, part]) => ({
      grantId: grant.id,
      amount: part,
      consumed: 0,
      returned: 0,
      reclaimed: 0,
    }));
  }

  /** Consumes reserved credits, first burned first. @returns what the reservation could not cover. */
  consume(reservation: Reservation, amount: number): number {
    let rest = amount;
    const moves: Move[] = [];
    for (const slice of reservation.slices) {
      const part = Math.min(rest, restOf(slice));
      slice.consumed += part;
      rest -= part;
      moves.push({ grant: this.of(slice), from: 'reserved', to: 'consumed', amount: part });
    }
    this.move('consume', reservation.reference, moves);
    return rest;
  }

  /**
   * Gives back what is reserved beyond `keep` credits, last burned first.
   * @returns the credits that met an expired grant and are not taken by a reversal of it.
   */
  release(reservation: Reservation, keep = 0): number {
    let surplus = reservedRest(reservation) - keep;
    let lost = 0;
    const moves: Move[] = [];
    for (const slice of reservation.slices.toReversed()) {
      const grant = this.of(slice);
      const part = Math.max(0, Math.min(surplus, restOf(slice)));
      slice.returned += part;
      surplus -= part;
      const to = this.homeOf(grant);
      if (to === 'expired') {
        lost += Math.max(0, part - Math.max(0, grant.reversalTarget - grant.revoked));
      }
      moves.push({ grant, from: 'reserved', to, amount: part });
    }
    this.move('release', reservation.reference, moves);
    return lost;
  }

  /**
   * Books use that is reported after the reservation gave its credits back: from what it returned to
   * its own grants, even if expired or frozen, then from what is spendable.
   */
  debitLate(reservation: Reservation, amount: number): { late: number; unbilled: number } {
    const moves: Move[] = [];
    let rest = amount;
    for (const slice of reservation.slices) {
      const grant = this.of(slice);
      for (const from of ['available', 'expired'] as const) {
        const part = Math.min(rest, slice.returned - slice.reclaimed, grant[from]);
        // Booked at once, so that the next bucket and the next grant see what is left.
        this.apply([{ grant, from, to: 'consumed', amount: part }]);
        slice.reclaimed += part;
        rest -= part;
        moves.push({ grant, from, to: 'consumed', amount: part });
      }
    }
    const late = Math.min(rest, this.spendable);
    for (const [grant, part] of this.take(late)) {
      this.apply([{ grant, from: 'available', to: 'consumed', amount: part }]);
      moves.push({ grant, from: 'available', to: 'consumed', amount: part });
    }
    this.recordMoves('late_debit', reservation.reference, moves);
    for (const { grant } of moves) this.followReversal(grant);
    return { late, unbilled: rest - late };
  }

  /** Moves what is available of grants past their end to expired. */
  expire(): void {
    for (const grant of this.all.toSorted(inBurnOrder)) {
      if (!this.isExpired(grant)) continue;
      this.move('expire', referenceOf(grant), [
        { grant, from: 'available', to: 'expired', amount: grant.available },
      ]);
    }
  }

  /** What erasure does: everything available, frozen or not, is revoked. */
  revokeAvailable(): void {
    for (const grant of this.all.toSorted(inBurnOrder)) {
      this.move('revoke', referenceOf(grant), [
        { grant, from: 'available', to: 'revoked', amount: grant.available },
      ]);
    }
  }

  /** Sets what reversals aim at, in credits, and moves what follows from it. */
  retarget(grant: Grant, targets: { frozen: number; final: number }): void {
    grant.frozenTarget = targets.frozen;
    grant.reversalTarget = targets.final;
    this.followReversal(grant);
  }

  /**
   * Brings one grant to its reversal target: available credits first, then expired ones; what was
   * consumed becomes debt. In the other direction credits come back, then debt is cancelled, then
   * repaid credits return to the grants that paid.
   */
  private followReversal(grant: Grant): void {
    const reference = referenceOf(grant);
    for (const from of ['available', 'expired'] as const) {
      const amount = Math.min(grant[from], Math.max(0, grant.reversalTarget - grant.revoked));
      this.book('revoke', reference, [{ grant, from, to: 'revoked', amount }]);
    }
    if (this.account.state !== 'erased') {
      const amount = Math.max(0, grant.revoked - grant.reversalTarget);
      const to = this.homeOf(grant);
      this.book('reinstate', reference, [{ grant, from: 'revoked', to, amount }]);
    }
    const unmet = Math.max(0, grant.reversalTarget - grant.revoked - grant.reserved);
    const change = Math.min(grant.consumed, unmet) - grant.owed - grant.repaid;
    if (change > 0) this.raiseDebt('debt', grant, change);
    if (change >= 0) return;
    const cancelled = Math.min(grant.owed, -change);
    if (cancelled > 0) this.raiseDebt('debt_cancel', grant, -cancelled);
    this.returnRepaid(grant, -change - cancelled);
  }

  private raiseDebt(kind: 'debt' | 'debt_cancel', grant: Grant, amount: number): void {
    grant.owed += amount;
    this.record(kind, referenceOf(grant), [
      { account: 'debt', grantId: grant.id, amount: -amount },
      { account: 'owed', grantId: grant.id, amount },
    ]);
  }

  private returnRepaid(grant: Grant, amount: number): void {
    let rest = amount;
    for (const repayment of this.repayments.filter((r) => r.reversedGrantId === grant.id)) {
      const part = Math.min(rest, repayment.amount);
      if (part === 0) continue;
      const payer = this.grantOf(repayment.payingGrantId);
      rest -= part;
      repayment.amount -= part;
      grant.repaid -= part;
      this.move('repay_return', referenceOf(grant), [
        { grant: payer, from: 'consumed', to: this.homeOf(payer), amount: part },
      ]);
    }
  }

  private noteRepayment(debtor: Grant, payer: Grant, amount: number): void {
    const known = this.repayments.find(
      (r) => r.reversedGrantId === debtor.id && r.payingGrantId === payer.id,
    );
    if (known) known.amount += amount;
    else {
      this.repayments.push({ reversedGrantId: debtor.id, payingGrantId: payer.id, amount });
    }
  }

  /** Which parts of which grants `amount` credits come from. */
  private take(amount: number): [Grant, number][] {
    let rest = amount;
    const taken: [Grant, number][] = [];
    for (const grant of this.all.toSorted(inBurnOrder)) {
      const part = Math.min(rest, this.spendableOf(grant));
      if (part <= 0) continue;
      taken.push([grant, part]);
      rest -= part;
    }
    if (rest > 0) throw new Error(`${amount} credits were taken, ${amount - rest} are spendable`);
    return taken;
  }

  private move(kind: TransferKind, reference: string, moves: Move[]): void {
    this.book(kind, reference, moves);
    for (const { grant } of moves) this.followReversal(grant);
  }

  private book(kind: TransferKind, reference: string, moves: Move[]): void {
    this.apply(moves);
    this.recordMoves(kind, reference, moves);
  }

  /** Where credits that come back to a grant go. */
  private homeOf(grant: Grant): Bucket {
    if (this.account.state === 'erased') return 'revoked';
    return this.isExpired(grant) ? 'expired' : 'available';
  }

  private of(slice: ReservationSlice): Grant {
    return this.grantOf(slice.grantId);
  }
}

/** A grant's source as the ledger names it. */
function referenceOf(grant: Pick<Grant, 'sourceType' | 'sourceId' | 'sourceIndex'>): string {
  return `${grant.sourceType}:${grant.sourceId}:${grant.sourceIndex}`;
}

function byAge(a: Grant, b: Grant): number {
  return a.issuedAt.getTime() - b.issuedAt.getTime() || (a.id < b.id ? -1 : 1);
}
