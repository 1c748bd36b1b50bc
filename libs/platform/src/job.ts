/** Work repeated for the lifetime of a process. `runOnce` decides by `Clock` what is due. */
export interface Job {
  readonly name: string;
  runOnce(): Promise<unknown>;
  /** Receives a function that starts the next run early, for a job that is notified of new work. */
  wakeBy?(wake: () => void): void;
  /** Ends the current turn as soon as possible; resolves when it has ended, and no turn follows. */
  stop?(): Promise<void>;
}
