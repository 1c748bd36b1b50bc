import { type ConcurrencyClass, RATE_CLASSES } from '#libs/contracts';

/** Requests under way at most, by class, over all accounts: heavy searches cannot starve lookups. */
const UNDER_WAY_MAX: Record<ConcurrencyClass, number> = {
  live: 1_500,
  bulk: 200,
  heavy: 100,
  account: 200,
  public: 200,
};
const CLASSES: readonly ConcurrencyClass[] = [...RATE_CLASSES, 'public'];

/** Place of a class in the counts. */
export function classPlace(name: ConcurrencyClass): number {
  return CLASSES.indexOf(name);
}

/** When this part of a class's places is taken, the rest is shared out: */
const SHARED_FROM = 1 / 2;
/** an account that has this part of them gets no more. */
const ACCOUNT_SHARE = 1 / 4;

/** Counts the requests that are being answered, by class and by account. */
export class ClassConcurrency {
  private readonly classes: { max: number; underWay: number; byAccount: Map<string, number> }[];

  constructor(limits: Partial<Record<ConcurrencyClass, number>> = {}) {
    const max = { ...UNDER_WAY_MAX, ...limits };
    this.classes = CLASSES.map((name) => ({ max: max[name], underWay: 0, byAccount: new Map() }));
  }

  /**
   * False when the class is full, or half full and the account has a quarter of it. Each true is followed by one
   * `leave` with the same account.
   */
  enter(place: number, accountId?: string): boolean {
    const one = this.classes[place];
    if (one.underWay >= one.max) return false;
    if (accountId !== undefined) {
      const own = one.byAccount.get(accountId) ?? 0;
      const isShared = one.underWay >= one.max * SHARED_FROM;
      if (isShared && own >= one.max * ACCOUNT_SHARE) return false;
      one.byAccount.set(accountId, own + 1);
    }
    one.underWay++;
    return true;
  }

  leave(place: number, accountId?: string): void {
    const one = this.classes[place];
    one.underWay--;
    if (accountId === undefined) return;
    const left = one.byAccount.get(accountId)! - 1;
    if (left === 0) one.byAccount.delete(accountId);
    else one.byAccount.set(accountId, left);
  }
}
