/** The share of all places that each account may have in any case. */
const LEAST_SHARE = 1 / 100;

/** A limited number of places for accounts. No account can take so many of them that others get none. */
export class AccountPlaces {
  private taken = 0;
  private readonly byAccount = new Map<string, number>();

  constructor(private readonly max: number) {}

  /**
   * Takes a place, unless the account already has as many as are free. Each account may have a hundredth of the maximum
   * in any case, even beyond the maximum.
   * @returns whether a place was taken; `leave` must then be called once with the same account.
   */
  take(account: string): boolean {
    const own = this.byAccount.get(account) ?? 0;
    if (own >= Math.max(this.max - this.taken, this.max * LEAST_SHARE)) return false;
    this.taken += 1;
    this.byAccount.set(account, own + 1);
    return true;
  }

  leave(account: string): void {
    const left = this.byAccount.get(account)! - 1;
    this.taken -= 1;
    if (left === 0) this.byAccount.delete(account);
    else this.byAccount.set(account, left);
  }
}
