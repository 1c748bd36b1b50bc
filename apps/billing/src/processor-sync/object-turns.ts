import type { ObjectRef } from './wanted-objects.js';

/** Lets this process work on an object once at a time. Later work on the same object waits in order. */
export class ObjectTurns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** @throws the error of `work`. A failure of earlier work has no influence. */
  async take<T>({ processor, kind, id }: ObjectRef, work: () => Promise<T>): Promise<T> {
    const key = `${processor} ${kind} ${id}`;
    const before = this.last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(key) === turn) this.last.delete(key);
    }
  }
}
