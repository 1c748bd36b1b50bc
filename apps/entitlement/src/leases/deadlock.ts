const DEADLOCK_DETECTED = '40P01';
const TRIES_MAX = 3;

/**
 * Repeats a transaction that PostgreSQL aborted because of a deadlock, up to three attempts in all.
 * Deadlocks can occur because bookings lock accounts in the order of their ids, but a batch of
 * events may lock them in the order of the events.
 */
export async function repeatOnDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code !== DEADLOCK_DETECTED || tries === TRIES_MAX) throw error;
    }
  }
}
