/** Work repeated for the lifetime of a process. `runOnce` decides by `Clock` what is due. */
export interface Job {
  readonly name: string;
  runOnce(): Promise<unknown>;
  /** Given what brings its next run forward, for a job that hears of new work. */
  wakeBy?(wake: () => void): void;
  /** Ends a run under way as soon as it can; resolves when it has ended, and none follows. */
  stop?(): Promise<void>;
}
