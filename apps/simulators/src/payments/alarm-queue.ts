export interface Alarm {
  atMs: number;
  run: () => void;
}

interface Queued extends Alarm {
  /** The alarm's serial number. If two alarms are due at the same time, the one that was set first goes off first. */
  place: number;
}

const isBefore = (a: Queued, b: Queued) =>
  a.atMs - b.atMs < 0 || (a.atMs === b.atMs && a.place < b.place);

/**
 * Keeps alarms ordered by time in a binary heap, because there may be a hundred thousand subscriptions with an alarm
 * each.
 */
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

  /** Removes the first due alarm and returns it; returns undefined if none is due. */
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
