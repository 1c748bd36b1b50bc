import type { OwnerAnswer } from './owner-answer.js';

export interface LookupCall {
  /** The complete request in ASCII, as it is sent. */
  readonly request: string;
  /** The connection that carries the call. The connection sets and clears this field. */
  connection?: { destroy(fault?: Error): void };
  /** The ticks of the pool's timer since the call was made, including the wait for a connection. */
  waitedTicks: number;
  /** True if the client has disconnected. The call is then dropped instead of sent. */
  readonly isAbandoned: boolean;
  /** Exactly one of these two callbacks is called, once, unless the call was abandoned. */
  onAnswer(answer: OwnerAnswer): void;
  onFault(fault: Error): void;
}
