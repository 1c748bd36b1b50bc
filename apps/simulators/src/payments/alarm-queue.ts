export interface Alarm {
  atMs: number;
  run: () => void;
}

interface Queued extends Alarm {
  /** Increases with each alarm: if two are due at the same time, the one set first comes first. */
  place: number;
}

const isBefore = (a: Queued, b: Queued) =>
  a.atMs - b.atMs < 0 || (a.atMs === b.atMs && a.place < b.place);

/** Keeps alarms ordered by time, as a binary heap, because a hundred thousand subscriptions have an alarm each. */
export class AlarmQueue {
  private readonly heap: Queued[] = [];
  private places = 0;

  add(alarm: Alarm): void {
    const { heap } = this;
    let at = heap.push({ ...alarm, place: (this.places += 1) }) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at], heap[parent])) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  /** Removes and returns the first alarm that is due; undefined if none is. */
  takeDue(untilMs: number): Alarm | undefined {
    const { heap } = this;
    const [first] = heap;
    if (first === undefined || first.atMs > untilMs) return undefined;
    this.swap(0, heap.length - 1);
    heap.pop();
    this.sink(0);
    return first;
  }

  private sink(from: number): void {
    const { heap } = this;
    for (let at = from; ;) {
      const children = [2 * at + 1, 2 * at + 2].filter((child) => child < heap.length);
      const least = children.reduce(
        (least, child) => (isBefore(heap[child], heap[least]) ? child : least),
        at,
      );
      if (least === at) return;
      this.swap(at, least);
      at = least;
    }
  }

  private swap(a: number, b: number): void {
    const { heap } = this;
    [heap[a], heap[b]] = [heap[b], heap[a]];
  }
}
