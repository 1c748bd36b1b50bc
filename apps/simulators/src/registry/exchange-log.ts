import type { Exchange } from './misbehaviour.js';

const LONGEST_LOG = 10_000;

export interface LoggedExchange extends Exchange {
  /** The query as the client sent it: the line on port 43, or the RDAP path. */
  question: string;
  /** The name, address, block or AS number in the query. */
  domain: string;
  /** The host name in the client's TLS greeting; unknown on port 43. */
  host?: string;
}

/**
 * The latest queries to the simulator, in order, so that a test can count the work that an answer required.
 */
export class ExchangeLog {
  readonly entries: LoggedExchange[] = [];
  private readonly counts = new Map<string, number>();

  /** Records an exchange and returns how many of its kind about this name are now in the log. */
  add(exchange: LoggedExchange): number {
    this.entries.push(exchange);
    const oldest = this.entries.length > LONGEST_LOG ? this.entries.shift() : undefined;
    if (oldest) this.count(oldest, -1);
    return this.count(exchange, 1);
  }

  private count({ protocol, role, domain }: LoggedExchange, by: 1 | -1): number {
    const key = `${protocol} ${role} ${domain}`;
    const count = (this.counts.get(key) ?? 0) + by;
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
    return count;
  }

  /** Returns the exchanges about one name, oldest first. */
  of(domain: string): LoggedExchange[] {
    return this.entries.filter((entry) => entry.domain === domain);
  }
}
