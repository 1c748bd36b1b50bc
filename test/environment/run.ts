import type { EmbeddedServer } from '#libs/database';
<<<<<<< HEAD
import type { ValkeyServer } from '#libs/testing';

export interface Run {
  server: EmbeddedServer;
  valkey?: ValkeyServer;
=======
import type { KafkaBroker } from '#libs/testing';

export interface Run {
  server?: EmbeddedServer;
  broker?: KafkaBroker;
>>>>>>> kafka
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
