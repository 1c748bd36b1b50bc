import { Semaphore } from '#libs/platform';

/** One is worked on while the next is on its way. */
const AT_ONCE = 2;

interface Turns {
  semaphore: Semaphore;
  /** Calls that run or wait. */
  users: number;
}

/**
 * Calls about one account, few at a time. Entitlement works on an account's credits one after another, and each call
 * that waits there for the one before has one of its few database connections: many of one account would keep
 * everybody else's leases waiting (S102).
 */
export class AccountTurns {
  private readonly ofAccounts = new Map<string, Turns>();

  async use<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const turns = this.turnsOf(accountId);
    turns.users++;
    try {
      return await turns.semaphore.use(work);
    } finally {
      turns.users--;
      if (turns.users === 0) this.ofAccounts.delete(accountId);
    }
  }

  private turnsOf(accountId: string): Turns {
    const known = this.ofAccounts.get(accountId);
    if (known) return known;
    const turns = { semaphore: new Semaphore(AT_ONCE), users: 0 };
    this.ofAccounts.set(accountId, turns);
    return turns;
  }
}
