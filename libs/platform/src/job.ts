/** Work that is repeated for as long as a process lives. `runOnce` decides by `Clock` what is due. */
export interface Job {
  readonly name: string;
  runOnce(): Promise<unknown>;
  /** Called when no further run follows. */
  end?(): Promise<void>;
}
