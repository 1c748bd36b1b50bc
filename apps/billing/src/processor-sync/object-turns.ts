import type { ObjectRef } from './wanted-objects.js';

/** Lets this process do only one piece of work on an object at a time; later work on the object waits its turn. */
export class ObjectTurns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `work` when its turn comes, even if earlier work has failed. @throws the error of `work`. */
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
