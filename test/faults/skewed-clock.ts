import { globSync, writeFileSync } from 'node:fs';

/** The variant of the library for multi-threaded programs. */
const [LIBRARY] = globSync([
  '/usr/{lib,lib64,local/lib}/faketime/libfaketimeMT.so.1',
  '/usr/{lib,local/lib}/*linux-gnu*/faketime/libfaketimeMT.so.1',
]);

/**
 * Returns the environment of a process whose wall clock is wrong by `offsetHours` and whose monotonic clock is right,
 * as on a machine with a wrong date.
 * @throws Error without Debian's package `faketime`.
 */
export function skewedClock(offsetHours: number): Record<string, string> {
  if (LIBRARY === undefined) throw new Error('libfaketime is not installed');
  return {
    LD_PRELOAD: LIBRARY,
    FAKETIME: `${offsetHours < 0 ? '' : '+'}${offsetHours}h`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
    // The kernel sets file times, so processes must read the real ones.
    NO_FAKE_STAT: '1',
  };
}

/** Like `skewedClock`, but the offset is read from `file`: first 0, and later what a test writes there. */
export function steppedClock(file: string): Record<string, string> {
  writeFileSync(file, '+0');
  const { FAKETIME: _, ...settings } = skewedClock(0);
  return { ...settings, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' };
}

export function skewedClockMissing(): string | undefined {
  return LIBRARY === undefined ? 'libfaketime is missing (package faketime)' : undefined;
}
