import type { OwnerAnswer } from './owner-answer.js';

/** A running request to lookup. */
export interface LookupCall {
  /** The complete request as sent, in ASCII. */
  readonly request: string;
  /** The connection that carries the call; the connection sets and clears it. */
  connection?: { destroy(fault?: Error): void };
  /** Ticks of the pool's timer since the call was made, including the wait for a connection. */
  waitedTicks: number;
  /** True if the client has disconnected; then the call is not made when its turn comes. */
  readonly isAbandoned: boolean;
  /** Exactly one of the two callbacks is called once, unless the call was abandoned. */
  onAnswer(answer: OwnerAnswer): void;
  onFault(fault: Error): void;
}
