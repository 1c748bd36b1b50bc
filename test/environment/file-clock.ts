import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { Clock } from '#libs/platform';

/** The length of the file, which contains the time in ms. A fixed length makes each read and write atomic. */
const DIGITS = 16;

/** A clock in a file that several processes share. It stands still until its creator advances it for all of them. */
export class FileClock extends Clock {
  private readonly bytes = Buffer.alloc(DIGITS);

  private constructor(private readonly file: number) {
    super();
  }

  static create(path: string): FileClock {
    const clock = new FileClock(openSync(path, 'w+', 0o600));
    clock.set('2026-03-02T09:00:00Z');
    return clock;
  }

  /** Follows a file that another process created. This clock can only be read. */
  static follow(path: string): FileClock {
    return new FileClock(openSync(path, 'r'));
  }

  now(): Date {
    readSync(this.file, this.bytes, 0, DIGITS, 0);
    return new Date(Number(this.bytes.toString('latin1')));
  }

  advance(ms: number): void {
    this.set(new Date(this.now().getTime() + ms));
  }

  set(time: string | Date): void {
    const digits = String(new Date(time).getTime()).padStart(DIGITS, '0');
    writeSync(this.file, digits, 0, 'latin1');
  }

  close(): void {
    closeSync(this.file);
  }
}

/** Returns the settings that make a service's process read its time from the file of a `FileClock`. */
export function fileClockSettings(path: string): Record<string, string> {
  const preload = new URL('./preload-file-clock.js', import.meta.url);
  return { NODE_OPTIONS: `--import=${preload.href}`, TEST_CLOCK_FILE: path };
}
