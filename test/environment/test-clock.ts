import { Clock } from '#libs/platform';

/** A clock that stands still until it is advanced, or that advances with each reading. */
export class TestClock extends Clock {
  private time: number;
  private stepMs = 0;

  constructor(start: string | Date = '2026-03-02T09:00:00Z') {
    super();
    this.time = new Date(start).getTime();
  }

  now(): Date {
    this.time += this.stepMs;
    return new Date(this.time);
  }

  advance(ms: number): void {
    this.time += ms;
  }

  /** Makes each later reading this much later than the last; 0 stops the clock again. */
  stepEachReading(ms: number): void {
    this.stepMs = ms;
  }

  set(time: string | Date): void {
    this.time = new Date(time).getTime();
  }
}
