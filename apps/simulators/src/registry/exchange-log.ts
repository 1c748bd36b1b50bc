import type { Exchange } from './misbehaviour.js';

const LONGEST_LOG = 10_000;

export interface LoggedExchange extends Exchange {
  /** Exactly what the client sent: the line of port 43, the path of RDAP. */
  question: string;
  domain: string;
  /** The host a TLS client asked for; port 43 does not tell. */
  host?: string;
}

/** What the simulator was asked, in order, so that a test can count the work an answer cost. */
export class ExchangeLog {
  readonly entries: LoggedExchange[] = [];

  /** Notes an exchange and returns how many of its kind this name has had, itself included. */
  add(exchange: LoggedExchange): number {
    if (this.entries.length >= LONGEST_LOG) this.entries.shift();
    this.entries.push(exchange);
    return this.of(exchange.domain).filter(
      ({ protocol, role }) => protocol === exchange.protocol && role === exchange.role,
    ).length;
  }

  /** The exchanges about one name, oldest first. */
  of(domain: string): LoggedExchange[] {
    return this.entries.filter((entry) => entry.domain === domain);
  }
}
