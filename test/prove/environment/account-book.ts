/** Everything that was reported to the owner of an account, who may therefore rely on it. */
export interface CustomerAccount {
  accountId: string;
  /** Credits of answers that arrived. */
  answered: number;
  /** Answers that never arrived; they may have been charged if the connection broke on the way. */
  inDoubt: number;
  /** The arrival times of charged answers in monotonic milliseconds, newest last. */
  answeredAt: number[];
}

/** A payment that billing has committed. */
export interface Payment {
  paymentId: string;
  accountId: string;
  credits: number;
}

const TIMES_KEPT = 20_000;

/** Every acknowledged command of a run, each of which must be in the database exactly once. */
export class AccountBook {
  readonly accounts = new Map<string, CustomerAccount>();
  readonly payments: Payment[] = [];
  /** The state last reported to the owner of each deleted, restored or erased account. */
  readonly states = new Map<string, 'active' | 'deleted' | 'erased'>();

  joined(accountId: string): CustomerAccount {
    const account = { accountId, answered: 0, inDoubt: 0, answeredAt: [] };
    this.accounts.set(accountId, account);
    return account;
  }

  /** Records the answer to a lookup. */
  answered(accountId: string, credits: number): void {
    const account = this.of(accountId);
    account.answered += credits;
    if (credits === 0) return;
    account.answeredAt.push(performance.now());
    if (account.answeredAt.length > TIMES_KEPT) account.answeredAt.shift();
  }

  lost(accountId: string): void {
    this.of(accountId).inDoubt++;
  }

  /** The number of charged answers of all accounts within a span of monotonic milliseconds. */
  answeredBetween(fromMs: number, toMs: number): number {
    const times = [...this.accounts.values()].flatMap(({ answeredAt }) => answeredAt);
    return times.filter((at) => at >= fromMs && at <= toMs).length;
  }

  private of(accountId: string): CustomerAccount {
    const account = this.accounts.get(accountId);
    if (!account) throw new Error(`no customer has the account ${accountId}`);
    return account;
  }
}
