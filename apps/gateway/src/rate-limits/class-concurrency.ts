import { type ConcurrencyClass, RATE_CLASSES } from '#libs/contracts';
import type { CounterId } from '#libs/counters';

/** Maximum number of running requests per class over all accounts, so that expensive searches cannot starve lookups. */
const UNDER_WAY_MAX: Record<ConcurrencyClass, number> = {
  live: 1_500,
  bulk: 200,
  heavy: 100,
  account: 200,
  public: 200,
};
const CLASSES: readonly ConcurrencyClass[] = [...RATE_CLASSES, 'public'];

export function classPlace(name: ConcurrencyClass): number {
  return CLASSES.indexOf(name);
}

/** Once this share of a class's slots is in use, the number of slots per account is limited. */
const SHARED_FROM = 1 / 2;
/** The share of a class's slots that one account may use from `SHARED_FROM` on. */
const ACCOUNT_SHARE = 1 / 4;

/**
 * The number of buckets per class in which accounts are counted. The last bits of an account's random id choose its
 * bucket.
 */
const SLOTS = 2 ** 14;

/**
 * Counts running requests by class and by account. Accounts in the same bucket share one limit. Exact counts, in a map
 * with an entry for each running request, would take a tenth of a request's time.
 */
export class ClassConcurrency {
  private readonly classes: { max: number; underWay: number; bySlot: Uint16Array }[];

  constructor(limits: Partial<Record<ConcurrencyClass, number>> = {}) {
    const max = { ...UNDER_WAY_MAX, ...limits };
    this.classes = CLASSES.map((name) => ({
      max: max[name],
      underWay: 0,
      bySlot: new Uint16Array(SLOTS),
    }));
  }

  /**
   * Counts a new request. @returns false if the class is full, or if the class is half full and the account uses a
   * quarter of the class's slots. After true, call `leave` once with the same account.
   */
  enter(place: number, account?: CounterId): boolean {
    const one = this.classes[place];
    if (one.underWay >= one.max) return false;
    if (account !== undefined) {
      const slot = slotOf(account);
      const isShared = one.underWay >= one.max * SHARED_FROM;
      if (isShared && one.bySlot[slot] >= one.max * ACCOUNT_SHARE) return false;
      one.bySlot[slot]++;
    }
    one.underWay++;
    return true;
  }

  leave(place: number, account?: CounterId): void {
    const one = this.classes[place];
    one.underWay--;
    if (account !== undefined) one.bySlot[slotOf(account)]--;
  }
}

const slotOf = ({ word3 }: CounterId) => word3 & (SLOTS - 1);
