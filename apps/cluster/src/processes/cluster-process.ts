/** A process of the cluster, which a test may end, suspend and restart at the same address. */
export interface ClusterProcess {
  readonly name: string;
  /** The address of the process. */
  readonly url: string;
  readonly pid: number;
  /** Everything that it has written so far, across all restarts. */
  readonly output: string;
  /** Sends a signal; does nothing if it is not running. */
  kill(signal?: NodeJS.Signals): void;
  /**
   * Shuts it down cleanly.
   * @throws if it had to be killed in its drain or ended with a fault.
   */
  stop(): Promise<void>;
  /** Restarts it at the same address if it is not running. */
  start(): Promise<void>;
}
