import type { EmbeddedServer } from '#libs/database';
import type { KafkaBroker, ValkeyServer } from './index.js';

export interface Run {
  server?: EmbeddedServer;
  broker?: KafkaBroker;
  valkey?: ValkeyServer;
  folder: string;
}

let current: Run | undefined;

/** Keeps the state that set-up and teardown share; the same process loads both. */
export function remember(run: Run): void {
  current = run;
}

export function forget(): void {
  current = undefined;
}

export function currentRun(): Run | undefined {
  return current;
}
