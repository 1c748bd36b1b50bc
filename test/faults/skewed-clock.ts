import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARY_ROOTS = ['/usr/lib', '/usr/local/lib', '/usr/lib64'];

/**
 * Environment of a process whose wall clock is wrong by `offsetHours`; its monotonic clock is right, as
 * on a machine whose date was set wrong. Debian's package `faketime`.
 */
export function skewedClock(offsetHours: number): Record<string, string> {
  const library = findLibrary();
  if (library === undefined) throw new Error('libfaketime is not here');
  return {
    LD_PRELOAD: library,
    FAKETIME: `${offsetHours < 0 ? '' : '+'}${offsetHours}h`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
    // The kernel sets file times, so readers must see the real ones.
    NO_FAKE_STAT: '1',
  };
}

/** As `skewedClock`; the offset is what `file` says at the moment, so that it can step while it runs. */
export function steppedClock(file: string): Record<string, string> {
  writeFileSync(file, '+0');
  const { FAKETIME: _, ...settings } = skewedClock(0);
  return { ...settings, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' };
}

/** Why clocks cannot be skewed here; undefined when they can. */
export function skewedClockMissing(): string | undefined {
  return findLibrary() === undefined ? 'libfaketime is missing (package faketime)' : undefined;
}

function findLibrary(): string | undefined {
  // The build for programs with threads.
  const folders = LIBRARY_ROOTS.filter(existsSync).flatMap((root) => [
    root,
    ...readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.includes('linux-gnu'))
      .map(({ name }) => join(root, name)),
  ]);
  return folders
    .map((folder) => join(folder, 'faketime', 'libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
}
