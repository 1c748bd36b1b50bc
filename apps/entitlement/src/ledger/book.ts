import { DAY_MS, newId } from '#libs/platform';
import type { TransferKind } from './ledger-accounts.js';
import { GrantBook, type Move } from './grant-book.js';
import {
  type Grant,
  type NewGrant,
  PAID_SOURCES,
  byAge,
  inBurnOrder,
  revivalOf,
  sourceOf,
} from './grant.js';
import { type Reservation, type ReservationSlice, reservedRest, restOf } from './reservation.js';

export interface LostCredits {
  grant: Grant;
  slice: ReservationSlice;
  credits: number;
}

/** How long credits that are returned to an ended grant remain valid. */
const REVIVED_LIFETIME_MS = 7 * DAY_MS;

/**
 * The movements of an account's credits. They change only objects; the ledger then writes grants, transfers and account
 * in one statement. Each movement also applies the reversal targets of the grants that it changes.
 */
export class Book extends GrantBook {
  /** Adds a grant. After an erasure, its credits are revoked at once. */
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
      revokedExpired: 0,
      withdrawn: 0,
      requestedTarget: 0,
      reversalTarget: 0,
      owed: 0,
      repaid: 0,
    };
    this.put(grant);
    this.issued.add(grant.id);
    grant.available += source.granted;
    this.record('grant', sourceOf(grant), [
      { account: 'issued', grantId: grant.id, amount: -source.granted },
      { account: 'available', grantId: grant.id, amount: source.granted },
    ]);
    if (this.account.state === 'erased') this.revokeAvailable();
    if (source.sourceType !== 'release') {
      // A small gift does not lower the level at which the customer is told that the credits are running out.
      const left = source.sourceType === 'operator' ? this.spendable + this.reserved : 0;
      this.account.lastGranted = Math.max(source.granted, Math.min(this.account.lastGranted, left));
      this.account.lowThreshold = undefined;
    }
    return grant;
  }

  /** Repays open debt, that of the oldest grants first, from the unexpired credits of paid grants, in burn order. */
  repayDebts(): void {
    const debtors = this.all.filter(({ owed }) => owed > 0).sort(byAge);
    if (debtors.length === 0) return;
    const payers = this.all.filter(({ sourceType }) => PAID_SOURCES.includes(sourceType));
    for (const payer of payers.sort(inBurnOrder)) {
      if (this.isExpired(payer)) continue;
      for (const debtor of debtors) this.repay(debtor, payer);
    }
  }

  /** Moves `amount` spendable credits to reserved, in burn order. The caller must check `spendable` first. */
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

  /** Consumes reserved credits in burn order. @returns the amount that the reservation could not cover. */
  consume(reservation: Reservation, amount: number): number {
    let rest = amount;
    const moves: Move[] = [];
    for (const slice of reservation.slices) {
      const part = Math.min(rest, restOf(slice));
      slice.consumed += part;
      rest -= part;
      const grant = this.grantOf(slice.grantId);
      moves.push({ grant, from: 'reserved', to: 'consumed', amount: part });
    }
    this.move('consume', reservation.reference, moves);
    return rest;
  }

  /**
   * Releases all reserved credits except `keep`, in reverse burn order.
   * @returns the released credits of expired grants, including those that reversals revoke.
   */
  release(reservation: Reservation, keep = 0): LostCredits[] {
    let surplus = reservedRest(reservation) - keep;
    const lost: LostCredits[] = [];
    const moves: Move[] = [];
    for (const slice of reservation.slices.toReversed()) {
      const grant = this.grantOf(slice.grantId);
      const part = Math.max(0, Math.min(surplus, restOf(slice)));
      slice.returned += part;
      surplus -= part;
      const to = this.homeOf(grant);
      if (to === 'expired' && part > 0) lost.push({ grant, slice, credits: part });
      moves.push({ grant, from: 'reserved', to, amount: part });
    }
    this.move('release', reservation.reference, moves);
    return lost;
  }

  /**
   * Revives a job's credits that expired in the meantime: they stay valid for a few days. Reversals of their payment
   * still apply to them. If a reversal came first, the revived credits are revoked at once, and undoing the reversal
   * returns them. Each credit is revived once, and later returns do not extend the validity of earlier ones; otherwise,
   * a plan's credits would never expire.
   */
  giveBack(lost: readonly LostCredits[]): void {
    for (const { grant, slice, credits } of lost) {
      if (grant.sourceType === 'release') continue;
      slice.revivedIn = this.revive(grant, credits, { isRenewed: false }).id;
      this.followRevived(grant);
    }
  }

  /**
   * Books usage that is reported after the reservation has released its credits. Takes those credits first, as far as
   * they are available, frozen or expired; then takes spendable ones.
   * @returns how many credits were taken from the spendable ones, and how many could not be taken.
   */
  debitLate(reservation: Reservation, amount: number): { late: number; unbilled: number } {
    const moves: Move[] = [];
    let rest = amount;
    for (const slice of reservation.slices) {
      const grant = this.grantOf(slice.revivedIn ?? slice.grantId);
      for (const from of ['available', 'expired'] as const) {
        const left = from === 'available' ? grant.available : this.lostOf(grant);
        const part = Math.min(rest, slice.returned - slice.reclaimed, left);
        // Each part is booked at once, so that the next bucket and grant take only what remains.
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

  /** Moves available credits of grants past their end to expired. */
  expire(): void {
    for (const grant of this.all.toSorted(inBurnOrder)) {
      if (!this.isExpired(grant)) continue;
      this.end(grant);
      this.followReversal(grant);
    }
  }

  /** Revokes up to `amount` spendable credits for good, in burn order. @returns the number of revoked credits. */
  withdraw(amount: number, revocationId: string): number {
    const moves = this.take(Math.min(amount, this.spendable));
    for (const [grant, part] of moves) grant.withdrawn += part;
    this.move(
      'revoke',
      `operator:${revocationId}`,
      moves.map(([grant, part]) => ({ grant, from: 'available', to: 'revoked', amount: part })),
    );
    return moves.reduce((sum, [, part]) => sum + part, 0);
  }

  /** Applies an erasure: revokes all available credits, frozen or not. */
  revokeAvailable(): void {
    for (const grant of this.all.toSorted(inBurnOrder)) {
      this.move('revoke', sourceOf(grant), [
        { grant, from: 'available', to: 'revoked', amount: grant.available },
      ]);
    }
  }

  /** Sets the grant's reversal targets, in credits, and moves credits to meet them. */
  retarget(grant: Grant, targets: { requested: number; final: number }): void {
    grant.requestedTarget = targets.requested;
    grant.reversalTarget = targets.final;
    this.followReversal(grant);
  }

  /**
   * Moves credits until a grant meets its reversal targets. A requested reversal takes available credits. A final
   * reversal also takes expired credits, and consumed ones become debt. If the targets fell, revoked credits are
   * returned, open debt is cancelled, and credits that repaid debt return to the grants that paid.
   */
  private followReversal(grant: Grant): void {
    const reference = sourceOf(grant);
    const take = (from: 'available' | 'expired', target: number) => {
      const amount = Math.min(grant[from], Math.max(0, target - grant.revoked));
      this.book('revoke', reference, [{ grant, from, to: 'revoked', amount }]);
      return amount;
    };
    take('available', grant.requestedTarget);
    grant.revokedExpired += take('expired', grant.reversalTarget);
    if (this.account.state !== 'erased') this.reinstate(grant);
    this.settleDebt(grant);
    this.followRevived(grant);
  }

  /**
   * Adjusts a grant's debt to the consumed credits that reversals should have taken. If the debt
   * has become too high, cancels open debt first, then returns credits that repaid debt.
   */
  private settleDebt(grant: Grant): void {
    const unmet = Math.max(0, grant.reversalTarget - grant.revoked - grant.reserved);
    const change = Math.min(grant.consumed, unmet) - grant.owed - grant.repaid;
    if (change > 0) return this.raiseDebt('debt', grant, change);
    const cancelled = Math.min(grant.owed, -change);
    if (cancelled > 0) this.raiseDebt('debt_cancel', grant, -cancelled);
    this.returnRepaid(grant, -change - cancelled);
  }

  /**
   * Applies reversals to revived credits. The original grant still counts these, so reversals take from the revived
   * grant only what they could not take from the original. Otherwise, the same share would be taken twice. As with
   * other grants, consumed credits do not become debt while reserved ones may still be returned.
   */
  private followRevived(grant: Grant): void {
    const revived = this.revivedOf(grant);
    if (!revived) return;
    const given = Math.max(0, grant.expired + grant.revoked - revived.granted);
    const beyond = (target: number) => Math.min(revived.granted, Math.max(0, target - given));
    this.retarget(revived, {
      requested: beyond(grant.requestedTarget),
      final: beyond(grant.reversalTarget - grant.reserved),
    });
  }

  /**
   * Gives back revoked credits beyond the targets, except those that an operator took. Those that had expired expire
   * again; the others become valid.
   */
  private reinstate(grant: Grant): void {
    const amount = Math.max(0, grant.revoked - Math.max(grant.requestedTarget, grant.withdrawn));
    if (amount === 0) return;
    const expired = Math.min(amount, grant.revokedExpired);
    grant.revokedExpired -= expired;
    const reference = sourceOf(grant);
    // If these are revived credits, the grant that has them becomes valid again.
    if (grant.sourceType === 'release' && amount > expired) this.prolong(grant);
    const lost = { grant, from: 'revoked', to: 'expired', amount: expired } as const;
    const rest = {
      grant,
      from: 'revoked',
      to: this.homeOf(grant),
      amount: amount - expired,
    } as const;
    this.book('reinstate', reference, [lost, rest]);
    this.reviveEnded(grant, amount - expired);
  }

  /** Revives credits that an undone reversal returns to an ended grant. They stay valid for a few days. */
  private reviveEnded(grant: Grant, amount: number): void {
    if (amount === 0 || this.homeOf(grant) !== 'expired') return;
    this.revive(grant, amount, { isRenewed: true });
  }

  /**
   * Issues expired credits of a grant again, in its revived grant. If that grant ends at a different time, they expire
   * there and are issued in its own revived grant.
   * @param isRenewed whether credits that were revived before and are still valid get the new end too.
   * @returns the grant that has the credits now.
   */
  private revive(grant: Grant, amount: number, { isRenewed }: { isRenewed: boolean }): Grant {
    const expiresAt = this.revivedUntil;
    const known = this.revivedOf(grant);
    if (!known) return this.issue({ ...revivalOf(grant), granted: amount, expiresAt });
    if (isRenewed) {
      this.prolong(known);
      known.expiresAt = expiresAt;
    }
    known.granted += amount;
    known.available += amount;
    this.record('grant', sourceOf(known), [
      { account: 'issued', grantId: known.id, amount: -amount },
      { account: 'available', grantId: known.id, amount },
    ]);
    if (known.expiresAt?.getTime() === expiresAt.getTime()) return known;
    this.book('expire', sourceOf(known), [
      { grant: known, from: 'available', to: 'expired', amount },
    ]);
    return this.revive(known, amount, { isRenewed });
  }

  /**
   * Extends a grant of revived credits if it has ended, so that it can receive credits again. The credits that it still
   * has expire first.
   */
  private prolong(revived: Grant): void {
    if (!this.isExpired(revived)) return;
    this.end(revived);
    revived.expiresAt = this.revivedUntil;
  }

  private repay(debtor: Grant, payer: Grant): void {
    const amount = Math.min(debtor.owed, payer.available);
    if (amount <= 0 || payer === debtor) return;
    debtor.owed -= amount;
    debtor.repaid += amount;
    this.noteRepayment(debtor, payer, amount);
    this.apply([{ grant: payer, from: 'available', to: 'consumed', amount }]);
    this.record('repay', sourceOf(debtor), [
      { account: 'available', grantId: payer.id, amount: -amount },
      { account: 'consumed', grantId: payer.id, amount },
      { account: 'debt', grantId: debtor.id, amount },
      { account: 'owed', grantId: debtor.id, amount: -amount },
    ]);
    this.followReversal(payer);
  }

  /** Gives back up to `amount` credits that repaid the grant's debt, first to the newest of the grants that paid. */
  private returnRepaid(grant: Grant, amount: number): void {
    let rest = amount;
    const payers = this.repayments
      .filter(({ reversedGrantId }) => reversedGrantId === grant.id)
      .map((repayment) => ({ repayment, payer: this.grantOf(repayment.payingGrantId) }))
      .sort((a, b) => byAge(b.payer, a.payer));
    for (const { repayment, payer } of payers) {
      const part = Math.min(rest, repayment.amount);
      if (part === 0) continue;
      rest -= part;
      grant.repaid -= part;
      this.noteRepayment(grant, payer, -part);
      this.book('repay_return', sourceOf(grant), [
        { grant: payer, from: 'consumed', to: this.homeOf(payer), amount: part },
      ]);
      this.reviveEnded(payer, part);
      this.followReversal(payer);
    }
  }

  /** Returns the grants from which `amount` credits are taken, in burn order, each with its part. */
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

  private get revivedUntil(): Date {
    return new Date(this.now.getTime() + REVIVED_LIFETIME_MS);
  }
}
