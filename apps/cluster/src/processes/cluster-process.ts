/** A process of the cluster, which a test can end, suspend and restart at the same address. */
export interface ClusterProcess {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** What the process has written so far, across all restarts; of a very long output, only the end. */
  readonly output: string;
  /** Sends a signal; does nothing if the process is not running. */
  kill(signal?: NodeJS.Signals): void;
  /** Shuts the process down cleanly. @throws Error if the process had to be killed or ended with a fault. */
  stop(): Promise<void>;
  /** Restarts the process at the same address if it is not running. */
  start(): Promise<void>;
}
