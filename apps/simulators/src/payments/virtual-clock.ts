import { Clock } from '#libs/platform';

interface Alarm {
  atMs: number;
  run: () => void;
}

/**
 * The processors' own time: a base clock, plus what it was moved by. What is due at a time happens at
 * exactly that time, in order, however far the clock is moved at once.
 */
export class VirtualClock extends Clock {
  private offsetMs = 0;
  /** While an alarm runs, the time it was set for. */
  private alarmMs: number | undefined;
  private readonly alarms: Alarm[] = [];

  constructor(private readonly base: Clock) {
    super();
  }

  now(): Date {
    return new Date(this.alarmMs ?? this.base.now().getTime() + this.offsetMs);
  }

  /** Runs `run` when the time has come. It decides itself whether it still has anything to do. */
  at(time: Date, run: () => void): void {
    this.alarms.push({ atMs: time.getTime(), run });
  }

  /** Moves the time forward and lets happen what is due meanwhile. */
  advance(ms: number): void {
    this.offsetMs += ms;
    this.runDue();
  }

  /** Lets happen what is due by now: the base clock may have been moved. */
  runDue(): void {
    const untilMs = this.now().getTime();
    try {
      for (let alarm = this.takeNext(untilMs); alarm; alarm = this.takeNext(untilMs)) {
        this.alarmMs = alarm.atMs;
        alarm.run();
      }
    } finally {
      this.alarmMs = undefined;
    }
  }

  private takeNext(untilMs: number): Alarm | undefined {
    const due = this.alarms.filter(({ atMs }) => atMs <= untilMs);
    if (due.length === 0) return undefined;
    const next = due.reduce((first, alarm) => (alarm.atMs < first.atMs ? alarm : first));
    this.alarms.splice(this.alarms.indexOf(next), 1);
    return next;
  }
}
