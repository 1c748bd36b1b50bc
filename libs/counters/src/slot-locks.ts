import { monotonicMs } from '#libs/platform';

/** Words of one slot's header: a cache line of its own, so that two locks never share one. */
export const SLOT_WORDS = 16;
/** Places of a slot's header; those from `SLOT_OWN` on belong to whoever the lock protects. */
const LOCK = 0;
const WAITERS = 1;
const DAMAGED = 2;
export const SLOT_OWN = 3;

/** A lock's word: 0 when free, else the ticket of this locking and below it who holds it. */
const OWNER_BITS = 7;
const THREADS_MAX = (1 << OWNER_BITS) - 1;
const TICKET_MAX = 1 << (31 - OWNER_BITS);

/** About 10 µs: longer than any holder needs while it runs. */
const SPINS = 200;
const WAIT_MS = 10;
/**
 * A holder needs well under a microsecond; one that has not let go in as many waits, which are half a second, is
 * gone. Waits and not time, for a process that stood still as a whole must not take its own locks away.
 */
const TAKEOVER_WAITS = 50;

/**
 * One lock per slot in memory that threads share. The first `SLOT_WORDS` words count who is attached,
 * the header of slot n begins at `(n + 1) * SLOT_WORDS`. A thread that ends while it holds a lock is
 * relieved of it after half a second, and whoever takes over is told to repair the slot first. Should the
 * thread only have slept, it finds on its return that the lock is not its own any more and has the slot
 * repaired once again.
 */
export class SlotLocks {
  private readonly owner: number;
  private ticket = 0;
  private held = 0;

  /** @throws when more threads than a lock's word can name are attached. */
  constructor(private readonly words: Int32Array) {
    this.owner = Atomics.add(words, 0, 1) + 1;
    if (this.owner > THREADS_MAX)
      throw new Error(`more than ${THREADS_MAX} threads share counters`);
  }

  /** @returns true when a thread may have ended in the middle of a change: repair the slot. */
  lock(slot: number): boolean {
    const { words } = this;
    const header = (slot + 1) * SLOT_WORDS;
    this.ticket = (this.ticket + 1) % TICKET_MAX;
    this.held = (this.ticket << OWNER_BITS) | this.owner;
    if (Atomics.compareExchange(words, header + LOCK, 0, this.held) !== 0) this.wait(header);
    return words[header + DAMAGED] !== 0 && Atomics.exchange(words, header + DAMAGED, 0) !== 0;
  }

  unlock(slot: number): void {
    const { words } = this;
    const header = (slot + 1) * SLOT_WORDS;
    if (Atomics.compareExchange(words, header + LOCK, this.held, 0) !== this.held) {
      Atomics.store(words, header + DAMAGED, 1);
    }
    if (Atomics.load(words, header + WAITERS) > 0) Atomics.notify(words, header + LOCK, 1);
  }

  private wait(header: number): void {
    const { words, held } = this;
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.load(words, header + LOCK) !== 0) continue;
      if (Atomics.compareExchange(words, header + LOCK, 0, held) === 0) return;
    }
    Atomics.add(words, header + WAITERS, 1);
    let [seen, waits] = [0, 0];
    for (;;) {
      const current = Atomics.compareExchange(words, header + LOCK, 0, held);
      if (current === 0) break;
      if (current !== seen) [seen, waits] = [current, 0];
      if (waits >= TAKEOVER_WAITS && this.takeOver(header, current)) break;
      if (Atomics.wait(words, header + LOCK, current, WAIT_MS) === 'timed-out') waits++;
    }
    Atomics.sub(words, header + WAITERS, 1);
  }

  /** Only the very locking that has stood for so long is ended, never a later one of the same thread. */
  private takeOver(header: number, seen: number): boolean {
    if (Atomics.compareExchange(this.words, header + LOCK, seen, this.held) !== seen) return false;
    Atomics.store(this.words, header + DAMAGED, 1);
    return true;
  }
}

/**
 * Milliseconds since the machine's start, the same in every thread: `performance.now()` begins with
 * its thread.
 */
export function sharedMonotonicMs(): () => number {
  const offsetMs = Number(process.hrtime.bigint()) / 1e6 - monotonicMs();
  return () => monotonicMs() + offsetMs;
}
