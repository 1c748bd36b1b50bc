import { Random } from '../random.js';

/** The faults of a history; each may be left out to find out which of them a failure needs. */
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

export interface Ticket {
  cancel(): void;
}

interface Happening extends Ticket {
  atMs: number;
  /** Random, so that what happens at one instant happens in any order. */
  order: number;
  actor?: Actor;
  life: number;
  work: () => void;
  isCancelled: boolean;
}

/** One process: dies and starts again, and takes with it whatever it was waiting for. */
export class Actor {
  life = 0;
  isUp = false;
  pausedUntilMs = 0;

  /** @param boot starts the process again; what outlives it is not its own. */
  constructor(
    readonly name: string,
    readonly boot: () => void,
  ) {}
}

const realImmediate = setImmediate;
/** One step in so many waits for the event loop, so that Node.js sees rejections nobody waits for. */
const LOOP_EVERY = 16;
/** More than any history needs: one that goes on and on is a failure. */
const HAPPENINGS_MAX = 200_000;

/**
 * A deterministic machine room: one clock, one list of what happens next, one source of chance. Code of
 * an actor runs from one of its awaits to the next without interruption; between any two it may die.
 */
export class World {
  nowMs = 0;
  /** The node whose code runs now: its timers and calls belong to it. */
  current?: Actor;
  happened = 0;
  crashes = 0;
  /** Follows from the chance drawn for each step: two histories that differ anywhere differ here. */
  trace = 0;
  readonly violations: string[] = [];
  private readonly queue: Happening[] = [];
  private readonly onDeath: ((actor: Actor) => void)[] = [];
  private areFaultsOver = false;

  constructor(
    readonly random: Random,
    private readonly faults: ReadonlySet<Fault>,
    /** Chance that an actor dies at one of its awaits. */
    private readonly crashChance: number,
  ) {}

  /** True with a probability, while this kind of fault is on. */
  strikes(fault: Fault, probability: number): boolean {
    return !this.areFaultsOver && this.faults.has(fault) && this.random.chance(probability);
  }

  /** From now on everything works, so that a history can come to its end. */
  heal(): void {
    this.areFaultsOver = true;
  }

  violate(what: string): void {
    if (!this.violations.includes(what)) this.violations.push(what);
  }

  start(actor: Actor): void {
    actor.isUp = true;
    this.at(0, actor, actor.boot);
  }

  /** Kills an actor: answers to it never come, while its own messages may still arrive. */
  kill(actor: Actor): void {
    actor.life++;
    actor.isUp = false;
    this.crashes++;
    for (const hear of this.onDeath) hear(actor);
  }

  whenDead(hear: (actor: Actor) => void): void {
    this.onDeath.push(hear);
  }

  /** Something of `actor`, forgotten when it dies before; of nobody when it is left out. */
  at(delayMs: number, actor: Actor | undefined, work: () => void): Ticket {
    const happening: Happening = {
      atMs: this.nowMs + Math.max(0, delayMs),
      order: this.random.next(),
      actor,
      life: actor?.life ?? 0,
      work,
      isCancelled: false,
      cancel: () => (happening.isCancelled = true),
    };
    push(this.queue, happening);
    return happening;
  }

  /** How long something travels: mostly a moment, at times long. */
  travelMs(): number {
    if (this.strikes('delay', 0.01)) return this.random.between(50, 2_500);
    return this.random.next() * 2;
  }

  /**
   * A call of the running actor to something that never dies (a database, a broker): travels, takes
   * effect, travels back. The effect comes although the caller has died.
   */
  async reach<T>(effect: () => T | Promise<T>): Promise<T> {
    const { current: actor } = this;
    const life = actor?.life;
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void) => {
        if (actor?.life === life) this.at(this.travelMs(), actor, settle);
      };
      this.at(this.travelMs(), undefined, () => {
        void run(effect).then(
          (value) => answer(() => resolve(value)),
          (error) => answer(() => reject(error)),
        );
      });
    });
  }

  /** Lets things happen until `isOver`, or for so long. @returns false when time ran out. */
  async run(forMs: number, isOver: () => boolean = () => false): Promise<boolean> {
    const untilMs = this.nowMs + forMs;
    for (;;) {
      if (isOver()) return true;
      const next = this.queue.at(0);
      if (!next || next.atMs > untilMs) {
        this.nowMs = untilMs;
        return isOver();
      }
      pop(this.queue);
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

  /** When every promise that follows from a step is settled: a tick comes after all of them. */
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

async function run<T>(work: () => T | Promise<T>): Promise<T> {
  return work();
}

const isBefore = (a: Happening, b: Happening) =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** A binary heap: the first is what happens next. */
function push(heap: Happening[], item: Happening): void {
  let at = heap.push(item) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(item, heap[parent])) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = item;
}

function pop(heap: Happening[]): void {
  const last = heap.pop() as Happening;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
    if (!isBefore(heap[child], last)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
}
