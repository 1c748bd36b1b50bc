/** What was reported to the owner of an account, and what the owner may therefore rely on. */
interface CustomerAccount {
  /** The credits of answers that arrived, corrected by what a check has explained. */
  answered: number;
  /** The number of lookups since the last check whose answers never arrived. They may have been charged. */
  inDoubt: number;
  state: 'active' | 'deleted' | 'erased';
}

/** Every acknowledged command of a run, each of which must be in the database exactly once. */
export class AccountBook {
  readonly accounts = new Map<string, CustomerAccount>();
  readonly payments: { paymentId: string; credits: number }[] = [];
  /** The arrival times of charged answers in monotonic milliseconds. */
  readonly answeredAt: number[] = [];

  joined(accountId: string): void {
    this.accounts.set(accountId, { answered: 0, inDoubt: 0, state: 'active' });
  }

  of(accountId: string): CustomerAccount {
    const account = this.accounts.get(accountId);
    if (!account) throw new Error(`no customer has the account ${accountId}`);
    return account;
  }

  answered(accountId: string, credits: number): void {
    this.of(accountId).answered += credits;
    if (credits > 0) this.answeredAt.push(performance.now());
  }
}
