import { Clock } from '#libs/platform';
import { AlarmQueue } from './alarm-queue.js';

/**
 * The processors' own time: a base clock plus the time by which it was moved. Each due action happens at exactly its
 * time, in order, however far the clock is moved at once.
 */
export class VirtualClock extends Clock {
  /** The offset from the base clock. */
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

  /** Runs `run` when the time has come. `run` decides whether it still has anything to do. */
  at(time: Date, run: () => void): void {
    this.alarms.add({ atMs: time.getTime(), run });
  }

  /** Advances the clock and runs everything that becomes due. */
  advance(ms: number): void {
    this.offsetMs += ms;
    this.runDue();
  }

  /** Runs work at a given time, after everything that was due by then. */
  during<T>(atMs: number, work: () => T): T {
    this.runDue(atMs);
    this.alarmMs = atMs;
    try {
      return work();
    } finally {
      this.alarmMs = undefined;
    }
  }

  /** Runs everything due by then, by default now: the base clock may have been moved. */
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
