import type { ObjectRef } from './wanted-objects.js';

/** Lets this process do one piece of work on an object at a time; later work on the same object waits in order. */
export class ObjectTurns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** @throws the error of `work`; a failure of earlier work does not matter. */
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
