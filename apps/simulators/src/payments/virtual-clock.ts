import { Clock } from '#libs/platform';
import { AlarmQueue } from './alarm-queue.js';

/**
 * The processors' clock: a base clock plus an offset. Due actions run in order, each at exactly its own time, however
 * far the clock is advanced.
 */
export class VirtualClock extends Clock {
  offsetMs = 0;
  /** While an alarm runs, the time for which it was set. */
  private alarmMs: number | undefined;
  private readonly alarms = new AlarmQueue();

  constructor(private readonly base: Clock) {
    super();
  }

  now(): Date {
    return new Date(this.alarmMs ?? this.base.now().getTime() + this.offsetMs);
  }

  /** Calls `run` at a given time. `run` must check whether there is still anything to do. */
  at(time: Date, run: () => void): void {
    this.alarms.add({ atMs: time.getTime(), run });
  }

  /** Advances the clock and runs everything that becomes due. */
  advance(ms: number): void {
    this.offsetMs += ms;
    this.runDue();
  }

  /** Runs work as of a given time, after everything that was due by then. */
  during<T>(atMs: number, work: () => T): T {
    this.runDue(atMs);
    this.alarmMs = atMs;
    try {
      return work();
    } finally {
      this.alarmMs = undefined;
    }
  }

  /** Runs everything that is due by `untilMs`, by default now. The base clock may have moved since the last run. */
  runDue(untilMs: number = this.now().getTime()): void {
    try {
      const next = () => this.alarms.takeDue(untilMs);
      for (let alarm = next(); alarm; alarm = next()) {
        this.alarmMs = alarm.atMs;
        alarm.run();
      }
    } finally {
      this.alarmMs = undefined;
    }
  }
}
