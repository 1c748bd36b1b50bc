import type { OwnerAnswer } from './owner-answer.js';

/** A question to lookup on its way. */
export interface LookupCall {
  /** The whole request as it is sent, ASCII. */
  readonly request: string;
  /** The connection that is serving it; set and unset by the connection. */
  connection?: { destroy(fault?: Error): void };
  /** Ticks of the pool's timer since it was handed over, its turn on a connection included. */
  waitedTicks: number;
  /** True when the client is gone: the call is not made when its turn comes. */
  readonly isAbandoned: boolean;
  /** One of the two is called, once, unless the call was abandoned. */
  onAnswer(answer: OwnerAnswer): void;
  onFault(fault: Error): void;
}
