import { Semaphore, ServiceUnavailable } from '#libs/platform';

interface Turns {
  semaphore: Semaphore;
  /** Pieces that run or wait. */
  users: number;
}

/** Work for one account, few pieces at a time, so that many of one account do not keep everybody else waiting. */
export class AccountTurns {
  private readonly ofAccounts = new Map<string, Turns>();

  /** @param limits pieces of one account that run at a time, and how many may run or wait. */
  constructor(private readonly limits: { atOnce: number; max: number }) {}

  /** @throws ServiceUnavailable when too many of the account run or wait. */
  async use<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const turns = this.turnsOf(accountId);
    if (turns.users >= this.limits.max) throw new ServiceUnavailable('request queue');
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
    const turns = { semaphore: new Semaphore(this.limits.atOnce), users: 0 };
    this.ofAccounts.set(accountId, turns);
    return turns;
  }
}
