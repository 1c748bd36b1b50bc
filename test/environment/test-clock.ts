import { Clock } from '#libs/platform';

/** A clock that stands still until it is moved. */
export class TestClock extends Clock {
  private time: number;

  constructor(start: string | Date = '2026-03-02T09:00:00Z') {
    super();
    this.time = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.time);
  }

  advance(ms: number): void {
    this.time += ms;
  }

  set(time: string | Date): void {
    this.time = new Date(time).getTime();
  }
}
