import { setImmediate } from 'node:timers/promises';
import { FairTurns, type EndTurn, type FairTurnsLimits } from './fair-turns.js';

export const LIMITS: FairTurnsLimits = {
  atOnce: 1,
  ofAccount: 1,
  ofAccountMax: 4,
  waitingMax: 1_000,
  waitMaxMs: 600_000,
};

interface Load {
  again?: () => string[];
  cost?: (accountId: string) => number;
}

/** Simulates accounts whose turns end one after another, so that work, not time, is counted. */
export class Simulation {
  readonly turns: FairTurns;
  private readonly begun: { accountId: string; end: EndTurn }[] = [];

  constructor(limits: Partial<FairTurnsLimits> = {}) {
    this.turns = new FairTurns({ ...LIMITS, ...limits });
  }

  get lasting(): number {
    return this.begun.length;
  }

  ask(...accountIds: string[]): void {
    for (const accountId of accountIds) {
      void this.turns.begin(accountId).then((end) => end && this.begun.push({ accountId, end }));
    }
  }

  /** Ends all turns. */
  async drain(): Promise<void> {
    for (await setImmediate(); this.begun.length > 0; await setImmediate()) await this.end();
  }

  /** Ends the turn that has lasted longest. @returns its account. */
  async end(cost: (accountId: string) => number = () => 1): Promise<string> {
    await setImmediate();
    const { accountId, end } = this.begun.shift()!;
    end(cost(accountId));
    return accountId;
  }

  /**
   * Ends turns until a turn of the account has ended. Whenever a turn of another account has ended, the accounts of
   * `again` ask for a further one.
   * @returns the cost of the other turns. @throws Error after 2,000 turns, so that a lost turn does not hang the test.
   */
  async waitOf(accountId: string, { again = () => [], cost = () => 1 }: Load = {}) {
    let waited = 0;
    for (let turn = 0; turn < 2_000; turn++) {
      const ended = await this.end(cost);
      if (ended === accountId) return waited;
      waited += cost(ended);
      this.ask(...again());
    }
    throw new Error(`${accountId} has no turn`);
  }
}

export const named = (what: string, count: number) =>
  Array.from({ length: count }, (_, n) => what + n);
