import { Random } from '../random.js';

/** The faults of a history, each of which can be left out to find out which faults a failure needs. */
export const FAULTS = [
  'crash',
  'pause',
  'duplicate',
  'reorder',
  'delay',
  'lose',
  'database',
  'handler',
] as const;
export type Fault = (typeof FAULTS)[number];

/** A future step. The code under test receives it as its timer, on which it may call `unref` and `clear`. */
export class Happening {
  isCancelled = false;

  constructor(
    readonly atMs: number,
    /** A random number, so that steps at the same time run in any order. */
    readonly order: number,
    readonly actor: Actor | undefined,
    readonly life: number,
    readonly work: () => void,
  ) {}

  unref(): this {
    return this;
  }

  isBefore({ atMs, order }: Happening): boolean {
    return this.atMs < atMs || (this.atMs === atMs && this.order < order);
  }
}

/** A process that can die and restart. When it dies, it loses everything that it was waiting for. */
export class Actor {
  life = 0;
  isUp = false;
  pausedUntilMs = 0;

  /** @param boot restarts the process. State that must survive a crash is kept outside the process. */
  constructor(readonly boot: (self: Actor) => void) {}
}

const realImmediate = setImmediate;
/** The interval, in steps, at which a step waits for the event loop, so that Node.js reports unhandled rejections. */
const LOOP_EVERY = 16;
/** The maximum number of steps, which is higher than any history needs. A history that exceeds it fails. */
const HAPPENINGS_MAX = 200_000;

/**
 * A deterministic world with one clock, one queue of steps and one source of randomness. An actor's code runs from one
 * await to the next without interruption; it may die between any two awaits.
 */
export class World {
  nowMs = 0;
  /** The actor whose code is running, to which new timers and calls belong. */
  current?: Actor;
  happened = 0;
  crashes = 0;
  /** A hash of the random numbers that order the steps, to check that a seed replays the same history. */
  trace = 0;
  readonly violations: string[] = [];
  private readonly queue: Happening[] = [];
  private readonly onDeath: ((actor: Actor) => void)[] = [];
  private areFaultsOver = false;

  constructor(
    readonly random: Random,
    private readonly faults: ReadonlySet<Fault>,
    private readonly crashChance: number,
  ) {}

  strikes(fault: Fault, probability: number): boolean {
    return !this.areFaultsOver && this.faults.has(fault) && this.random.chance(probability);
  }

  heal(): void {
    this.areFaultsOver = true;
  }

  violate(what: string): void {
    if (!this.violations.includes(what)) this.violations.push(what);
  }

  start(actor: Actor): void {
    actor.isUp = true;
    this.at(0, actor, () => actor.boot(actor));
  }

  /** Kills an actor. It never receives its answers, but its own messages may still arrive. */
  kill(actor: Actor): void {
    actor.life++;
    actor.isUp = false;
    this.crashes++;
    for (const hear of this.onDeath) hear(actor);
  }

  whenDead(hear: (actor: Actor) => void): void {
    this.onDeath.push(hear);
  }

  /** Schedules a step for `actor`, which is dropped if the actor dies first. Without an actor, the step always runs. */
  at(delayMs: number, actor: Actor | undefined, work: () => void): Happening {
    const atMs = this.nowMs + Math.max(0, delayMs);
    const happening = new Happening(atMs, this.random.next(), actor, actor?.life ?? 0, work);
    // Most steps are due soon, so their place is near the front.
    const later = this.queue.findIndex((other) => happening.isBefore(other));
    this.queue.splice(later === -1 ? this.queue.length : later, 0, happening);
    return happening;
  }

  /** Draws the travel time of a message: mostly short, sometimes long. */
  travelMs(): number {
    if (this.strikes('delay', 0.01)) return this.random.between(50, 2_500);
    return this.random.next() * 2;
  }

  /**
   * Makes a call from the running actor to a server that never dies, such as a database or a broker: the request
   * travels and takes effect, and the answer travels back. It takes effect even if the caller has died.
   */
  async reach<T>(effect: () => T | Promise<T>): Promise<T> {
    const { current: actor } = this;
    const life = actor?.life;
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void) => {
        if (actor?.life === life) this.at(this.travelMs(), actor, settle);
      };
      this.at(this.travelMs(), undefined, () => {
        void (async () => effect())().then(
          (value) => answer(() => resolve(value)),
          (error) => answer(() => reject(error)),
        );
      });
    });
  }

  /**
   * Runs steps until `isOver` is true or the time is up.
   * @returns false if the time is up and `isOver` is still false.
   * @throws Error if the history takes too many steps.
   */
  async run(forMs: number, isOver: () => boolean = () => false): Promise<boolean> {
    const untilMs = this.nowMs + forMs;
    for (;;) {
      if (isOver()) return true;
      const next = this.queue.at(0);
      if (!next || next.atMs > untilMs) {
        this.nowMs = untilMs;
        return isOver();
      }
      this.queue.shift();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      if (!this.isDue(next)) continue;
      if (this.happened++ > HAPPENINGS_MAX) throw new Error('the history does not come to an end');
      this.trace = (Math.imul(this.trace, 31) + Math.floor(next.order * 0x7fff_ffff)) | 0;
      this.current = next.actor;
      next.work();
      await this.settled();
      this.current = undefined;
      if (next.actor) this.afterStep(next.actor);
    }
  }

  /** Resolves when all promises that follow from a step are settled, because a tick runs after them. */
  private async settled(): Promise<void> {
    const later = this.happened % LOOP_EVERY === 0 ? realImmediate : process.nextTick;
    return new Promise((resolve) => later(resolve));
  }

  private isDue({ actor, life, isCancelled, work }: Happening): boolean {
    if (isCancelled) return false;
    if (!actor) return true;
    if (actor.life !== life) return false;
    if (actor.pausedUntilMs <= this.nowMs) return true;
    this.at(Math.ceil(actor.pausedUntilMs - this.nowMs), actor, work);
    return false;
  }

  private afterStep(actor: Actor): void {
    if (!actor.isUp) return;
    if (this.strikes('crash', this.crashChance)) {
      this.kill(actor);
      this.at(this.random.between(1, 3_000), undefined, () => this.start(actor));
    } else if (this.strikes('pause', this.crashChance / 2)) {
      actor.pausedUntilMs = Math.ceil(this.nowMs) + this.random.between(100, 15_000);
    }
  }
}
