/** Work repeated for the lifetime of a process. `runOnce` decides by `Clock` what is due. */
export interface Job {
  readonly name: string;
  runOnce(): Promise<unknown>;
  /** Receives a function that brings its next run forward, for a job that is notified of new work. */
  wakeBy?(wake: () => void): void;
  /** Ends a running turn as soon as possible; resolves when it has ended, and none follows. */
  stop?(): Promise<void>;
}
