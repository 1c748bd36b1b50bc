import { ServiceUnavailable } from './platform.errors.js';
import { Semaphore } from './semaphore.js';

interface Turns {
  semaphore: Semaphore;
  users: number;
}

/** Limits how many tasks of one account run at once, so that an account with many tasks does not delay the others. */
export class AccountTurns {
  private readonly ofAccounts = new Map<string, Turns>();

  /** @param limits how many tasks of one account may run, and how many may run or wait in total. */
  constructor(private readonly limits: { atOnce: number; max: number }) {}

  /**
   * Runs `work` once one of the account's turns is free.
   * @throws ServiceUnavailable if too many tasks of the account are running or waiting; the errors of `work`.
   */
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
