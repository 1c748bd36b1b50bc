import type { EmbeddedServer } from '#libs/database';

interface Run {
  server: EmbeddedServer;
  folder: string;
}

let current: Run | undefined;

/** Setup and teardown are loaded by the same process and share this. */
export function remember(run: Run): void {
  current = run;
}

export function currentRun(): Run | undefined {
  return current;
}
