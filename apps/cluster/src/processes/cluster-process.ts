/** A process of the cluster, which a test may end, halt and start again at the same address. */
export interface ClusterProcess {
  readonly name: string;
  /** Its address. */
  readonly url: string;
  readonly pid: number;
  /** Everything it has written so far, over all restarts. */
  readonly output: string;
  /** Sends a signal; nothing when it does not run. */
  kill(signal?: NodeJS.Signals): void;
  /** Ends it in order. @throws when it had to be forced or ended with a fault. */
  stop(): Promise<void>;
  /** Starts it again, at the same address, when it does not run. */
  start(): Promise<void>;
}
