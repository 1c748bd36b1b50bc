import { performance } from 'node:perf_hooks';

export interface FairTurnsLimits {
  /** Maximum number of turns at a time. */
  atOnce: number;
  /** Maximum number of turns of one account at a time. */
  ofAccount: number;
  /** Maximum number of turns of one account that are in progress or waited for. */
  ofAccountMax: number;
  /**
   * Limits the turns that are expected to cost more than `cost`, and those of new accounts, so that a light turn waits
   * for none of them; by default, all turns may be heavy.
   */
  heavy?: { cost: number; atOnce: number };
  waitingMax: number;
  waitMaxMs: number;
  /**
   * After this time, a turn no longer counts towards `atOnce`, because it is probably waiting for something other than
   * this process; by default, every turn counts until it ends. While this process is hardly ever idle, turns wait for
   * the process itself, and count for up to four times as long. Otherwise, an overloaded process would begin ever more
   * turns.
   */
  countedMs?: number;
}

/**
 * Ends a turn. @param cost what the turn used, in a unit that is the same for all turns; by default, what was expected.
 */
export type EndTurn = (cost?: number) => void;

interface Account {
  /** The number of turns that are in progress or waited for. */
  unfinished: number;
  lasting: number;
  /**
   * The virtual time at which the account would have used as much as it has used, if all accounts were served alike.
   */
  servedUntil: number;
  /** What its turns are expected to cost; undefined until one has ended. */
  knownCost?: number;
}

interface WaitingTurn {
  account: Account;
  /** The time of its arrival, in virtual time. */
  arrivedAt: number;
  resolve: (end?: EndTurn) => void;
}

/** Once this many accounts are remembered, those that have had no turn for longest are forgotten. */
const ACCOUNTS_MAX = 10_000;
/** A process that is idle for less than this share of the time is overloaded. */
const IDLE_SHARE = 0.2;
const BUSY_FACTOR = 4;
/**
 * The expected cost of a new account's turn, as a share of the usual cost. New accounts thus come before accounts with
 * heavy turns but, however many they are, not before accounts with light ones.
 */
const NEW_SHARE = 1 / 4;
/**
 * The weights of a turn in the expected cost of its account: one for a turn that cost more than expected, and one for a
 * turn that cost less. With equal weights, many accounts could at once have heavy turns before light ones, each time
 * after a few quick turns.
 */
const HEAVIER_WEIGHT = 1 / 2;
const LIGHTER_WEIGHT = 1 / 16;
/** Maximum number of usual turns that an account may catch up on, so that a few pages in a row come soon. */
const UNUSED_TURNS_MAX = 4;
/** The weight of one turn in the usual cost. */
const USUAL_WEIGHT = 1 / 8;

/**
 * Divides scarce work evenly among accounts (fair queueing). Virtual time is the service that each account would have
 * received if all were served alike. A turn is due to end at a virtual time, and the turn that is due to end first
 * begins first. Accounts with much use, however many, therefore hardly delay an account with little use. New accounts,
 * however many, come before an active account only until their use is equal. What an account uses while no other waits
 * counts for at most one turn. What it leaves unused while others wait counts for at most `UNUSED_TURNS_MAX`.
 */
export class FairTurns {
  private readonly accounts = new Map<string, Account>();
  /** The earliest arrival is first. */
  private readonly waiting = new Set<WaitingTurn>();
  private taken = 0;
  private heavyLasting = 0;
  /** The number of accounts with turns that are in progress or waited for. */
  private active = 0;
  private virtualTime = 0;
  /**
   * A usual turn after the start of the latest turn. Virtual time advances only up to this limit; otherwise, it would
   * keep the lead that it gains while costs are unknown, and accounts with little use would wait for turns of all
   * others.
   */
  private virtualTimeMax = 0;
  /** The virtual time at which a place was last free. What was left unused before does not count. */
  private countedFrom = 0;
  /** A moving average of the costs of all accounts. */
  private usualCost = 0;

  constructor(private readonly limits: FairTurnsLimits) {}

  /**
   * Waits for a turn.
   * @param gone gives up the wait.
   * @returns a function that must be called at the end of the turn; undefined if the account has too many turns, if the
   * wait is given up or too long, or if too many turns are waiting, in which case the one that would be last is
   * refused.
   */
  async begin(accountId: string, gone?: AbortSignal): Promise<EndTurn | undefined> {
    const { ofAccountMax, waitingMax, waitMaxMs } = this.limits;
    const account = this.accountOf(accountId);
    if (account.unfinished >= ofAccountMax) return undefined;
    if (account.unfinished === 0) this.active += 1;
    account.unfinished += 1;
    const { promise, resolve } = Promise.withResolvers<EndTurn | undefined>();
    const turn = { account, arrivedAt: this.virtualTime, resolve };
    this.waiting.add(turn);
    this.beginNext();
    if (this.waiting.size > waitingMax) this.refuse([...this.waiting].reduce(this.later));
    const giveUp = () => this.refuse(turn);
    const timer = setTimeout(giveUp, waitMaxMs);
    gone?.addEventListener('abort', giveUp);
    return promise.finally(() => {
      clearTimeout(timer);
      gone?.removeEventListener('abort', giveUp);
    });
  }

  private refuse(turn: WaitingTurn): void {
    if (!this.waiting.delete(turn)) return;
    this.finish(turn.account);
    turn.resolve();
  }

  private finish(account: Account): void {
    account.unfinished -= 1;
    if (account.unfinished === 0) this.active -= 1;
  }

  private beginNext(): void {
    const { atOnce, ofAccount, heavy } = this.limits;
    while (this.taken < atOnce) {
      const mayBeHeavy = !heavy || this.heavyLasting < heavy.atOnce;
      const ready = [...this.waiting].filter(
        ({ account }) => account.lasting < ofAccount && (mayBeHeavy || !this.isHeavy(account)),
      );
      if (ready.length === 0) return;
      const next = ready.reduce(this.earlier);
      this.waiting.delete(next);
      next.resolve(this.start(next));
    }
  }

  private start(turn: WaitingTurn): EndTurn {
    const { account } = turn;
    const expectedCost = this.expectedCostOf(account);
    const { countedMs } = this.limits;
    const isHeavy = this.isHeavy(account);
    if (isHeavy) this.heavyLasting += 1;
    this.taken += 1;
    account.lasting += 1;
    const startsAt = this.startOf(turn);
    // Otherwise, an account that uses what others leave would run ahead of them without limit.
    this.virtualTime = Math.max(this.virtualTime, startsAt);
    this.virtualTimeMax = startsAt + this.usualCost;
    account.servedUntil = startsAt + expectedCost;
    let isCounted = true;
    const makeRoom = () => {
      if (isCounted) this.taken -= 1;
      isCounted = false;
      this.beginNext();
      this.startAnew();
    };
    const cancel = countedMs === undefined ? undefined : whenWaiting(makeRoom, countedMs);
    return (cost = expectedCost) => {
      cancel?.();
      if (isHeavy) this.heavyLasting -= 1;
      account.lasting -= 1;
      account.servedUntil += cost - expectedCost;
      const known = this.expectedCostOf(account);
      account.knownCost = known + (cost - known) * (cost > known ? HEAVIER_WEIGHT : LIGHTER_WEIGHT);
      this.usualCost += (cost - this.usualCost) * USUAL_WEIGHT;
      const next = Math.min(this.virtualTime + cost / this.active, this.virtualTimeMax);
      this.virtualTime = Math.max(this.virtualTime, next);
      this.finish(account);
      makeRoom();
    };
  }

  /**
   * Begins a new count once a place is free and no turn waits for one: what accounts have left unused before has cost
   * nobody anything. Otherwise, an account that was active alone would wait for several turns of each account that was
   * idle meanwhile.
   */
  private startAnew(): void {
    const { atOnce, ofAccount } = this.limits;
    if (this.taken >= atOnce) return;
    for (const { account } of this.waiting) if (account.lasting < ofAccount) return;
    // An account that is alone has had one turn more than the others.
    this.virtualTime += this.usualCost;
    this.countedFrom = this.virtualTime;
  }

  private accountOf(accountId: string): Account {
    const account = this.accounts.get(accountId) ?? { unfinished: 0, lasting: 0, servedUntil: 0 };
    // The latest is last.
    this.accounts.delete(accountId);
    for (const [id, { unfinished }] of this.accounts) {
      if (this.accounts.size < ACCOUNTS_MAX) break;
      if (unfinished === 0) this.accounts.delete(id);
    }
    this.accounts.set(accountId, account);
    return account;
  }

  private expectedCostOf({ knownCost }: Account): number {
    return knownCost ?? this.usualCost * NEW_SHARE;
  }

  private isHeavy(account: Account): boolean {
    const isNew = account.knownCost === undefined;
    return isNew || this.expectedCostOf(account) > (this.limits.heavy?.cost ?? Infinity);
  }

  private readonly earlier = (one: WaitingTurn, other: WaitingTurn) =>
    this.endOf(other) < this.endOf(one) ? other : one;

  private endOf(turn: WaitingTurn): number {
    return this.startOf(turn) + this.expectedCostOf(turn.account);
  }

  /**
   * Returns when the turn would start. An account that has recently left some of its share unused does not wait for a
   * turn of each account that always has one waiting. A new account does, because many may be created.
   */
  private startOf({ account, arrivedAt }: WaitingTurn): number {
    const unused = account.knownCost === undefined ? 0 : this.usualCost * UNUSED_TURNS_MAX;
    return Math.max(account.servedUntil, arrivedAt - unused, this.countedFrom);
  }

  /** Returns the turn of the account whose last turn is due to end later. */
  private readonly later = (one: WaitingTurn, other: WaitingTurn) => {
    const [end, otherEnd] = [one, other].map(
      (turn) => this.startOf(turn) + this.expectedCostOf(turn.account) * turn.account.unfinished,
    );
    return otherEnd >= end ? other : one;
  };
}

/**
 * Calls back after `countedMs`; later if this process is hardly ever idle in the meantime, but at most after four
 * times as long.
 * @returns a function that cancels this.
 */
function whenWaiting(callback: () => void, countedMs: number): () => void {
  const { idle: idleBefore } = performance.eventLoopUtilization();
  let lastedMs = 0;
  const check = () => {
    lastedMs += countedMs;
    const idleMs = performance.eventLoopUtilization().idle - idleBefore;
    const isBusy = idleMs < lastedMs * IDLE_SHARE && lastedMs < countedMs * BUSY_FACTOR;
    if (isBusy) timer = setTimeout(check, countedMs);
    else callback();
  };
  let timer = setTimeout(check, countedMs);
  return () => clearTimeout(timer);
}
